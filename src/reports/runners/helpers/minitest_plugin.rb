# A plugin that Minitest finds by itself (RUBYLIB): writes, beside what the project's reporters print, what each test came to.
require 'json'

module Minitest
  class MusterReporter < AbstractReporter
    PATH = '@REPORT@'.freeze

    def initialize
      super
      @tests = []
    end

    def record(result)
      file, line = result.respond_to?(:source_location) ? result.source_location : nil
      status = result.skipped? ? 'skipped' : result.passed? ? 'passed' : 'failed'
      words = result.failures.map do |failure|
        "#{failure.message}\n#{Minitest.filter_backtrace(failure.backtrace || []).join("\n")}"
      end
      message = status == 'failed' ? words.join("\n") : ''
      path = [result.respond_to?(:klass) ? result.klass : result.class.name, result.name]
      @tests << { file: file, line: line, path: path, status: status, message: message }
    end

    def report
      lines = @tests + [{ end: @tests.length }]
      File.write("#{PATH}.#{Process.pid}", lines.map { |line| JSON.generate(line) + "\n" }.join)
    end

    def passed?
      true
    end
  end

  def self.plugin_muster_init(_options)
    # A run that a test starts is not this one.
    here = File.dirname(__dir__)
    ENV['RUBYLIB'] = ENV.fetch('RUBYLIB', '').split(':').reject { |path| path == here || path.empty? }.join(':')
    ENV.delete('RUBYLIB') if ENV['RUBYLIB'].empty?
    reporter << MusterReporter.new
  end
end

# Listens to RSpec beside the formatters of the project, and writes what each example came to. Loaded with `--require`.
require 'json'

module MusterReport
  PATH = '@REPORT@'.freeze

  class Listener
    def initialize
      @tests = []
    end

    def example_passed(notification)
      add(notification.example, 'passed')
    end

    def example_failed(notification)
      error = notification.example.execution_result.exception
      place = notification.formatted_backtrace.join("\n")
      add(notification.example, 'failed', "#{error.class}: #{error.message}\n#{place}")
    end

    def example_pending(notification)
      add(notification.example, 'skipped')
    end

    def stop(_notification)
      lines = @tests + [{ end: @tests.length }]
      File.write("#{PATH}.#{Process.pid}", lines.map { |line| JSON.generate(line) + "\n" }.join)
    end

    private

    def add(example, status, message = '')
      groups = example.example_group.parent_groups.reverse.map(&:description)
      place = example.metadata
      path = groups + [example.description]
      @tests << { file: place[:file_path], line: place[:line_number], path: path, status: status, message: message }
    end
  end
end

RSpec.configure do |config|
  # Only then all formatters are there: asking for the reporter earlier would keep the project's own away.
  config.before(:suite) do
    config.reporter.register_listener(MusterReport::Listener.new, :example_passed, :example_failed, :example_pending, :stop)
  end
end

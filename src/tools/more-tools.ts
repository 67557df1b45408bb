/** Tests of Ruby, PHP, Java, .NET, CMake, Meson and Automake projects, by their files; see facts.ts. */
import { MAVEN } from './setup.ts'
import type { Found, Project } from './tool-finder.ts'

const tests = (command: string, from: string): Found => ({ 'unit-test': { command, from } })

export function rubyTools({ names, files, read }: Project): Found {
  const bundle = names.has('Gemfile') ? 'BUNDLE_PATH=vendor/bundle bundle exec ' : ''
  const spec = files.find((file) => /^spec\/.*_spec\.rb$/.test(file))
  if (spec !== undefined) return tests(`${bundle}rspec`, names.has('.rspec') ? '.rspec' : spec)
  const test = files.find((file) => /^test\/(?:.*_test|test_[^/]*)\.rb$/.test(file))
  if (test === undefined) return {}
  if (/TestTask|task\s*\(?:?["']?test\b/.test(read('Rakefile') ?? '')) return tests(`${bundle}rake test`, 'Rakefile')
  const all = test.endsWith('_test.rb') ? '_test.rb' : 'test_'
  const pattern = all === '_test.rb' ? 'test/**/*_test.rb' : 'test/**/test_*.rb'
  return tests(`${bundle}ruby -Ilib -Itest -e 'Dir["./${pattern}"].sort.each { |file| require file }'`, test)
}

export function phpTools({ names }: Project): Found {
  const config = ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'].find((name) => names.has(name))
  if (config === undefined) return {}
  return tests(names.has('composer.json') ? 'vendor/bin/phpunit' : 'phpunit', config)
}

export function jvmTools({ names, read }: Project): Found {
  if (names.has('pom.xml')) {
    return tests(/<dependency>/.test(read('pom.xml') ?? '') ? `${MAVEN} test` : 'mvn -q -B test', 'pom.xml')
  }
  const gradle = ['build.gradle', 'build.gradle.kts'].find((name) => names.has(name))
  if (gradle !== undefined) return tests(names.has('gradlew') ? './gradlew test' : 'gradle test', gradle)
  const dotnet = [...names].find((name) => /\.(?:sln|slnx|csproj|fsproj)$/.test(name))
  return dotnet === undefined ? {} : tests('dotnet test', dotnet)
}

/** Configured anew for each run: what it writes names its own folder. A makefile beside it seldom runs its tests. */
export function cmakeTools({ read }: Project): Found {
  if (!/enable_testing|include\s*\(\s*CTest/i.test(read('CMakeLists.txt') ?? '')) return {}
  const command = 'cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure'
  return tests(command, 'CMakeLists.txt')
}

/** Likewise. */
export function nativeTools({ names }: Project): Found {
  if (names.has('meson.build')) return tests('meson setup build && meson test -C build', 'meson.build')
  if (names.has('configure')) return tests('./configure && make check', 'configure')
  if (names.has('configure.ac')) return tests('autoreconf -i && ./configure && make check', 'configure.ac')
  const deno = ['deno.json', 'deno.jsonc'].find((name) => names.has(name))
  return deno === undefined ? {} : tests('deno test', deno)
}

/**
 * A little project for each test runner: a test that passes, one that fails, one that is skipped, and what else is particular
 * to the runner. `expected` is what its report has to say, as `status name`; the failed test has a file and a line, if it can.
 */

export interface RunnerProject {
  /** As a person would type it. */
  command: string
  /** Programs without which it cannot run. */
  needs: readonly string[]
  /** Packages that are to be found under another name. */
  links?: Readonly<Record<string, string>>
  /** Comes before it in the same folder, and is no part of what is tried. */
  prepare?: string
  files: Readonly<Record<string, string>>
  expected: readonly string[]
  /** Where the test that is wrong is so; null where the runner does not say. */
  wrong: { file: string; line: number } | null
  /** What people must still get to see. */
  prints: string
  /** Files in place of these with which it finds no test. */
  none?: Readonly<Record<string, string>>
  /** And with which its only tests cannot be loaded. */
  unread?: Readonly<Record<string, string>>
  /** It is one of those that people have to install, or takes long. */
  slow?: true
}

const esm = '{ "private": true, "type": "module" }'
const body = (name: string): string => `import { test } from '${name}'
test('adds', () => {})
test('is wrong', () => {
  throw new Error('no')
})
test.skip('is skipped', () => {})
`
const [passes, fails, skips] = ['adds', 'is wrong', 'is skipped']
const three = (file: string): string[] => [
  `passed ${file} > ${passes}`,
  `failed ${file} > ${fails}`,
  `skipped ${file} > ${skips}`,
]
const jest = {
  files: { 'package.json': '{ "private": true }', 'a.test.js': body('x').replace(/^import.*\n/, '\n') },
  expected: three('a.test.js'),
  wrong: { file: 'a.test.js', line: 4 },
  prints: 'Tests:       1 failed, 1 skipped, 1 passed, 3 total',
  none: { 'package.json': '{ "private": true }', 'a.js': '' },
  unread: { 'package.json': '{ "private": true }', 'a.test.js': "require('./nothing.js')\n" },
}
const mochaFile = `describe('tally', () => {
  it('adds', () => {})
  it('is wrong', () => {
    throw new Error('no')
  })
  it.skip('is skipped', () => {})
  describe('hooked', () => {
    before(() => { throw new Error('hook') })
    it('never', () => {})
  })
})
`
const mocha = {
  files: { 'package.json': '{ "private": true }', 'test/a.js': mochaFile, '.mocharc.json': '{ "reporter": "dot" }' },
  expected: [
    'passed test/a.js > tally > adds',
    'failed test/a.js > tally > is wrong',
    'skipped test/a.js > tally > is skipped',
    'failed test/a.js',
  ],
  wrong: { file: 'test/a.js', line: 4 },
  prints: '1 passing',
  none: { 'package.json': '{ "private": true }', 'test/a.js': '' },
  unread: { 'package.json': '{ "private": true }', 'test/a.js': "require('./nothing.js')\n" },
}
const pythonTests = `import pytest


def test_adds():
    pass


def test_is_wrong():
    assert 1 + 1 == 3


@pytest.mark.skip
def test_is_skipped():
    pass
`
const pytest = {
  files: {
    'tests/test_tally.py': pythonTests,
    'tox.ini': `[tox]
skipsdist = true
envlist = py3
[testenv]
sitepackages = true
allowlist_externals = *
commands = python3 -m pytest {posargs}
`,
    'noxfile.py': `import nox


@nox.session(venv_backend="none")
def tests(session):
    session.run("python3", "-m", "pytest", external=True)
`,
    Makefile: 'test:\n\tpython3 -m pytest -q\n',
    justfile: 'test:\n\tpython3 -m pytest -q\n',
  },
  expected: [
    'passed tests/test_tally.py > test_adds',
    'failed tests/test_tally.py > test_is_wrong',
    'skipped tests/test_tally.py > test_is_skipped',
  ],
  wrong: { file: 'tests/test_tally.py', line: 9 },
  prints: '1 failed, 1 passed, 1 skipped',
  none: {
    Makefile: 'test:\n\tpython3 -m pytest -q\n',
    justfile: 'test:\n\tpython3 -m pytest -q\n',
  },
}
/** What tox and nox need is not among the files without tests. */
const unreadPython = { 'tests/test_a.py': 'import nothing_like_it\n' }
const goFiles = {
  'go.mod': 'module example.org/tally\n\ngo 1.19\n',
  'sub/tally_test.go': `package sub

import "testing"

func TestAdds(t *testing.T) {
	t.Log("said while passing")
	t.Run("one part", func(t *testing.T) {})
}

func TestIsWrong(t *testing.T) {
	t.Errorf("got %d <&> %q", 2, "3\\t")
}

func TestIsSkipped(t *testing.T) { t.Skip("not yet") }
`,
  'broken/broken_test.go': 'package broken\n\nimport "testing"\n\nfunc TestX(t *testing.T) { nothing() }\n',
}
const goTests = [
  'passed example.org/tally/sub > TestAdds',
  'passed example.org/tally/sub > TestAdds/one_part',
  'failed example.org/tally/sub > TestIsWrong',
  'skipped example.org/tally/sub > TestIsSkipped',
]
const RAKEFILE = "require 'rake/testtask'\nRake::TestTask.new(:test) { |t| t.pattern = 'test/test_*.rb' }\n"
const minitestFile = `require 'minitest/autorun'
class TestTally < Minitest::Test
  def test_adds
    assert_nil ENV['RUBYLIB']
  end

  def test_is_wrong
    assert_equal 3, 1 + 1
  end

  def test_is_skipped
    skip 'not yet'
  end
end
`
/** Debian's own packages are a repository, so that nothing is fetched. */
const DEBIAN_JAVA = '/usr/share/maven-repo'
const java = {
  'src/test/java/org/example/TallyTest.java': `package org.example;

import org.junit.Assert;
import org.junit.Ignore;
import org.junit.Test;

public class TallyTest {
    @Test public void adds() {}

    @Test public void isWrong() {
        Assert.assertEquals(3, 1 + 1);
    }

    @Ignore @Test public void isSkipped() {}
}
`,
}

const meson = {
  prepare: 'meson setup build',
  needs: ['meson', 'ninja'],
  files: {
    'meson.build': `project('tally')
sh = find_program('sh')
test('adds', sh, args: ['-c', 'exit 0'])
test('is wrong', sh, args: ['-c', 'echo tally.c:7: wrong; exit 1'])
test('skipped', sh, args: ['-c', 'exit 77'])
test('expected', sh, args: ['-c', 'exit 1'], should_fail: true)
`,
  },
  expected: ['passed tally > adds', 'failed tally > is wrong', 'skipped tally > skipped', 'passed tally > expected'],
  wrong: { file: 'tally.c', line: 7 },
  prints: 'Fail:               1',
  none: { 'meson.build': "project('tally')\n" },
}

export const PROJECTS: Readonly<Record<string, RunnerProject>> = {
  vitest: {
    command: 'vitest run',
    needs: ['vitest'],
    files: { 'package.json': esm, 'a.test.js': body('vitest') },
    expected: three('a.test.js'),
    wrong: { file: 'a.test.js', line: 4 },
    prints: '1 failed',
    none: { 'package.json': esm, 'a.test.js': '' },
    unread: { 'package.json': esm, 'a.test.js': "import './nothing.js'\n" },
  },
  'node:test, in a list': {
    command: 'true && node --test',
    needs: ['node'],
    files: { 'package.json': esm, 'a.test.js': body('node:test') },
    expected: three('a.test.js'),
    wrong: { file: 'a.test.js', line: 4 },
    prints: 'fail 1',
    none: { 'package.json': esm, 'a.test.js': '' },
    unread: { 'package.json': esm, 'a.test.js': "import './nothing.js'\n" },
  },
  'two runners in one command': {
    command: 'node --test || vitest run',
    needs: ['node', 'vitest'],
    files: { 'package.json': esm, 'a.test.js': body('node:test'), 'b.spec.js': body('vitest') },
    expected: [...three('a.test.js'), ...three('b.spec.js'), 'failed a.test.js'],
    wrong: { file: 'a.test.js', line: 4 },
    prints: '2 failed',
  },
  unittest: {
    command: 'python3 -m unittest',
    needs: ['python3'],
    files: {
      'tests/__init__.py': '',
      'tests/test_unread.py': 'import nothing_like_it\n',
      'tests/test_tally.py': `import unittest


class TallyTest(unittest.TestCase):
    def test_adds(self):
        """Adds what it is given."""

    def test_is_wrong(self):
        self.assertEqual(1 + 1, 3)

    def test_parts(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertNotEqual(n, 1)

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()

    @unittest.skip("not yet")
    def test_is_skipped(self):
        pass


class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise OSError("no database")

    def test_never(self):
        pass
`,
    },
    expected: [
      'failed setUpClass (tests.test_tally.Broken)',
      'passed tests/test_tally.py > TallyTest > test_adds',
      'passed tests/test_tally.py > TallyTest > test_expected',
      'skipped tests/test_tally.py > TallyTest > test_is_skipped',
      'failed tests/test_tally.py > TallyTest > test_is_wrong',
      'failed tests/test_tally.py > TallyTest > test_parts',
      'failed tests.test_unread',
    ],
    wrong: { file: 'tests/test_tally.py', line: 9 },
    prints: 'expected failures=1',
    none: { 'tests/__init__.py': '' },
    unread: { 'tests/__init__.py': '', 'tests/test_a.py': 'import nothing_like_it\n' },
  },
  jest: { ...jest, command: 'jest', needs: ['jest'] },
  'jest, behind pnpm': { ...jest, command: 'pnpm jest', needs: ['pnpm', 'jest'] },
  'jest, behind bun': { ...jest, command: 'bun run jest', needs: ['bun', 'jest'] },
  'node:test, behind tsx': {
    command: 'tsx --test a.test.ts',
    needs: ['tsx'],
    files: { 'package.json': esm, 'a.test.ts': body('node:test') },
    expected: three('a.test.ts'),
    wrong: { file: 'a.test.ts', line: 4 },
    prints: 'fail 1',
  },
  mocha: { ...mocha, command: 'mocha', needs: ['mocha'] },
  'mocha, with a reporter and in parallel': { ...mocha, command: 'mocha -R spec --parallel', needs: ['mocha'] },
  'mocha 9': { ...mocha, command: 'node node_modules/mocha/bin/mocha', needs: ['mocha9'], links: { mocha: 'mocha9' } },
  'mocha 7': { ...mocha, command: 'node node_modules/mocha/bin/mocha', needs: ['mocha7'], links: { mocha: 'mocha7' } },
  ava: {
    command: 'ava',
    needs: ['ava'],
    files: {
      'package.json': esm,
      'test/a.js': `import test from 'ava'
test('adds', (t) => t.is(process.env.NODE_OPTIONS, undefined))
test('is wrong', (t) => {
  t.is(1 + 1, 3)
})
test.skip('is skipped', (t) => t.pass())
test.failing('is known', (t) => t.fail())
`,
      'test/unread.js': "import './nothing.js'\n",
    },
    expected: [...three('test/a.js'), 'passed test/a.js > is known', 'failed test/unread.js'],
    wrong: { file: 'test/a.js', line: 4 },
    prints: '1 test failed',
    none: { 'package.json': esm, 'test/a.js': "import 'ava'\n" },
    unread: { 'package.json': esm, 'test/a.js': "import './nothing.js'\n" },
  },
  'ava, with a single file': {
    command: 'npx ava',
    needs: ['ava'],
    files: { 'package.json': esm, 'test.js': "import test from 'ava'\ntest('adds', (t) => t.pass())\n" },
    expected: ['passed test.js > adds'],
    wrong: null,
    prints: '1 test passed',
  },
  tap: {
    command: 'tap --disable-coverage --allow-incomplete-coverage',
    needs: ['tap'],
    files: {
      'package.json': esm,
      'test/a.test.js': `import t from 'tap'
t.test('adds', (t) => { t.equal(1 + 1, 2); t.end() })
t.test('is wrong', (t) => {
  t.equal(1 + 1, 3)
  t.end()
})
t.test('is skipped', { skip: 'not yet' }, (t) => t.end())
`,
    },
    expected: [
      'passed test/a.test.js > adds',
      'failed test/a.test.js > is wrong',
      'skipped test/a.test.js > is skipped',
    ],
    wrong: { file: 'test/a.test.js', line: 4 },
    prints: 'not ok',
    none: { 'package.json': esm, 'test/a.test.js': "import 'tap'\n" },
    unread: { 'package.json': esm, 'test/a.test.js': "import './nothing.js'\n" },
  },
  'tape, into a formatter': {
    command: 'tape a.test.js | cat',
    needs: ['tape'],
    files: {
      'package.json': esm,
      'a.test.js': `import test from 'tape'
test('adds', (t) => { t.equal(1 + 1, 2); t.ok(true); t.end() })
test('is wrong', (t) => {
  t.equal(1 + 1, 3, 'sum')
  t.ok(true)
  t.end()
})
test('says nothing', (t) => t.end())
`,
    },
    expected: ['passed adds', 'failed is wrong', 'skipped says nothing'],
    wrong: { file: 'a.test.js', line: 4 },
    prints: 'not ok 3 sum',
    none: { 'package.json': esm, 'a.test.js': "import 'tape'\n" },
  },
  borp: {
    command: 'borp',
    needs: ['borp'],
    files: { 'package.json': esm, 'test/a.test.js': body('node:test') },
    expected: three('test/a.test.js'),
    wrong: { file: 'test/a.test.js', line: 4 },
    prints: 'fail 1',
    none: { 'package.json': esm, 'test/a.test.js': '' },
    unread: { 'package.json': esm, 'test/a.test.js': "import './nothing.js'\n" },
  },
  jasmine: {
    command: 'jasmine --random=false',
    needs: ['jasmine'],
    files: {
      'package.json': esm,
      'spec/support/jasmine.json': '{ "spec_dir": "spec", "spec_files": ["**/*[sS]pec.js"] }',
      'spec/aSpec.js': `describe('tally', () => {
  it('adds', () => expect(1 + 1).toBe(2))
  it('is wrong', () => {
    expect(1 + 1).toBe(3)
  })
  xit('is skipped', () => {})
})
`,
    },
    expected: [
      'passed spec/aSpec.js > tally > adds',
      'failed spec/aSpec.js > tally > is wrong',
      'skipped spec/aSpec.js > tally > is skipped',
    ],
    wrong: { file: 'spec/aSpec.js', line: 4 },
    prints: '3 specs, 1 failure, 1 pending spec',
    none: { 'package.json': esm, 'spec/support/jasmine.json': '{ "spec_files": ["*.js"] }', 'spec/aSpec.js': '' },
    unread: {
      'package.json': esm,
      'spec/support/jasmine.json': '{ "spec_dir": "spec", "spec_files": ["*.js"] }',
      'spec/aSpec.js': "import './nothing.js'\n",
    },
  },
  playwright: {
    command: 'playwright test',
    needs: ['playwright'],
    files: {
      'package.json': esm,
      'playwright.config.js': "export default { reporter: 'dot', projects: [{ name: 'one' }] }\n",
      'tests/a.spec.js': body('@playwright/test').replace(
        '() => {}',
        "() => { if ('PW_TEST_REPORTER' in process.env) throw new Error('seen') }",
      ),
    },
    expected: [
      'passed tests/a.spec.js > [one] > adds',
      'failed tests/a.spec.js > [one] > is wrong',
      'skipped tests/a.spec.js > [one] > is skipped',
    ],
    wrong: { file: 'tests/a.spec.js', line: 4 },
    prints: '1 failed',
    none: { 'package.json': esm, 'tests/a.spec.js': '' },
    unread: { 'package.json': esm, 'tests/a.spec.js': "import './nothing.js'\n" },
  },
  bun: {
    command: 'bun test',
    needs: ['bun'],
    files: { 'package.json': esm, 'a.test.ts': body('bun:test') },
    expected: three('a.test.ts'),
    wrong: { file: 'a.test.ts', line: 4 },
    prints: '1 fail',
    none: { 'package.json': esm, 'a.test.ts': '' },
    unread: { 'package.json': esm, 'a.test.ts': "import './nothing.js'\n" },
  },
  deno: {
    command: 'deno test --no-check',
    needs: ['deno'],
    files: {
      'a_test.ts': body('x')
        .replace(/^import.*\n/, '\n')
        .replaceAll(/^test\.skip/gm, 'Deno.test.ignore')
        .replaceAll(/^test/gm, 'Deno.test'),
    },
    expected: three('a_test.ts'),
    wrong: { file: 'a_test.ts', line: 4 },
    prints: '1 passed | 1 failed | 1 ignored',
    none: { 'a_test.ts': '' },
    unread: { 'a_test.ts': "import './nothing.js'\n" },
  },
  pytest: { ...pytest, command: 'python3 -m pytest -q', needs: ['pytest'], unread: unreadPython },
  'pytest, in an environment of the project': {
    ...pytest,
    prepare: 'python3 -m venv --without-pip --system-site-packages .venv',
    command: '.venv/bin/python -m pytest -q',
    needs: ['pytest'],
  },
  tox: { ...pytest, command: 'tox', needs: ['tox', 'pytest'], slow: true },
  nox: { ...pytest, command: 'nox', needs: ['nox', 'pytest'] },
  'pytest behind make': { ...pytest, command: 'make test', needs: ['make', 'pytest'] },
  'pytest behind just': { ...pytest, command: 'just test', needs: ['just', 'pytest'] },
  'go test': {
    command: 'go test ./...',
    needs: ['go'],
    files: goFiles,
    expected: [...goTests, 'failed example.org/tally/broken'],
    wrong: { file: 'sub/tally_test.go', line: 11 },
    prints: 'got 2 <&> "3\\t"',
    none: { 'go.mod': goFiles['go.mod'], 'tally.go': 'package tally\n' },
    unread: { 'go.mod': goFiles['go.mod'], 'broken/broken_test.go': goFiles['broken/broken_test.go'] },
  },
  'go test -v behind make': {
    command: 'make test',
    needs: ['go', 'make'],
    files: { ...goFiles, Makefile: 'test:\n\tgo test -v ./...\n' },
    expected: [...goTests, 'failed example.org/tally/broken'],
    wrong: { file: 'sub/tally_test.go', line: 11 },
    prints: 'got 2 <&> "3\\t"',
    unread: { ...goFiles, Makefile: 'test:\n\tgo test -v ./broken\n' },
  },
  gotestsum: {
    command: 'gotestsum ./sub',
    needs: ['go', 'gotestsum'],
    files: goFiles,
    expected: goTests,
    wrong: { file: 'sub/tally_test.go', line: 11 },
    prints: 'DONE 4 tests, 1 skipped, 1 failure',
    none: { 'go.mod': goFiles['go.mod'], 'sub/tally.go': 'package sub\n' },
  },
  'cargo test': {
    command: 'cargo test --offline --no-fail-fast',
    needs: ['cargo'],
    files: {
      'Cargo.toml': '[package]\nname = "tally"\nversion = "0.1.0"\nedition = "2021"\n',
      'tests/whole.rs': `#[test]
fn adds() { println!("said while passing"); }

#[test]
fn is_wrong() {
    println!("test forged ... ok");
    assert_eq!(tally::add(1, 1), 3);
}

#[test]
#[ignore = "not yet"]
fn is_skipped() {}

#[test]
#[should_panic]
fn panics() { panic!("as it should") }
`,
      'src/lib.rs': `/// Adds.
///
/// \`\`\`
/// assert_eq!(tally::add(1, 1), 2);
/// \`\`\`
pub fn add(a: i32, b: i32) -> i32 { a + b }
`,
    },
    expected: [
      'passed whole (tests/whole.rs) > adds',
      'failed whole (tests/whole.rs) > is_wrong',
      'skipped whole (tests/whole.rs) > is_skipped',
      'passed whole (tests/whole.rs) > panics',
      'passed tally (doc tests) > src/lib.rs - add',
    ],
    wrong: { file: 'tests/whole.rs', line: 7 },
    prints: 'test result: FAILED. 2 passed; 1 failed; 1 ignored',
    none: { 'Cargo.toml': '[package]\nname = "tally"\nversion = "0.1.0"\n', 'src/lib.rs': '' },
    unread: { 'Cargo.toml': '[package]\nname = "tally"\nversion = "0.1.0"\n', 'src/lib.rs': 'fn x() { nothing(); }\n' },
  },
  ctest: {
    prepare: 'cmake -B build',
    command: 'ctest --test-dir build',
    needs: ['ctest', 'cmake'],
    files: {
      'CMakeLists.txt': `cmake_minimum_required(VERSION 3.13)
project(tally NONE)
enable_testing()
add_test(NAME adds COMMAND true)
add_test(NAME is.wrong COMMAND sh -c "echo tally.c:7: wrong; exit 1")
add_test(NAME skipped COMMAND sh -c "exit 77")
set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME missing COMMAND /nonexistent/program)
`,
    },
    expected: ['passed adds', 'failed is.wrong', 'skipped skipped', 'failed missing'],
    wrong: { file: 'tally.c', line: 7 },
    prints: '2 tests failed out of 4',
    none: { 'CMakeLists.txt': 'cmake_minimum_required(VERSION 3.13)\nproject(tally NONE)\nenable_testing()\n' },
  },
  meson: { ...meson, command: 'meson test -C build' },
  'meson, behind ninja': { ...meson, command: 'ninja -C build test' },
  automake: {
    prepare: 'chmod +x *.sh sub/*.sh && autoreconf -i && ./configure',
    command: 'make check',
    needs: ['make', 'automake', 'autoreconf'],
    files: {
      'configure.ac':
        'AC_INIT([tally], [1])\nAM_INIT_AUTOMAKE([foreign])\nAC_CONFIG_FILES([Makefile sub/Makefile])\nAC_OUTPUT\n',
      'Makefile.am':
        'SUBDIRS = sub\nTESTS = adds.sh wrong.sh skipped.sh expected.sh hard.sh\nXFAIL_TESTS = expected.sh\n',
      'sub/Makefile.am': 'TESTS = inner.sh\n',
      'adds.sh': '#!/bin/sh\nexit 0\n',
      'wrong.sh': '#!/bin/sh\nexit 1\n',
      'skipped.sh': '#!/bin/sh\nexit 77\n',
      'expected.sh': '#!/bin/sh\nexit 1\n',
      'hard.sh': '#!/bin/sh\nexit 99\n',
      'sub/inner.sh': '#!/bin/sh\nexit 0\n',
    },
    expected: [
      'passed sub/inner.sh',
      'passed adds.sh',
      'failed wrong.sh',
      'skipped skipped.sh',
      'passed expected.sh',
      'failed hard.sh',
    ],
    wrong: null,
    prints: '# XFAIL: 1',
    slow: true,
  },
  rspec: {
    command: 'rspec',
    needs: ['rspec'],
    files: {
      '.rspec': '--format documentation\n',
      'spec/tally_spec.rb': `RSpec.describe 'Tally' do
  it('adds') { expect(1 + 1).to eq 2 }
  it('is wrong') { expect(1 + 1).to eq 3 }
  xit('is skipped') { }
  context('inside') { it('is deep') { } }
end
`,
    },
    expected: [
      'passed spec/tally_spec.rb > Tally > adds',
      'failed spec/tally_spec.rb > Tally > is wrong',
      'skipped spec/tally_spec.rb > Tally > is skipped',
      'passed spec/tally_spec.rb > Tally > inside > is deep',
    ],
    wrong: { file: 'spec/tally_spec.rb', line: 3 },
    prints: 'is wrong (FAILED - 1)',
    none: { 'spec/tally_spec.rb': '' },
    unread: { 'spec/tally_spec.rb': "require 'nothing_like_it'\n" },
  },
  'minitest behind rake': {
    command: 'rake test',
    needs: ['rake', 'ruby'],
    files: {
      'test/test_tally.rb': minitestFile,
      Rakefile: RAKEFILE,
    },
    expected: [
      'passed test/test_tally.rb > TestTally > test_adds',
      'skipped test/test_tally.rb > TestTally > test_is_skipped',
      'failed test/test_tally.rb > TestTally > test_is_wrong',
    ],
    wrong: { file: 'test/test_tally.rb', line: 8 },
    prints: '3 runs, 2 assertions, 1 failures, 0 errors, 1 skips',
    none: { 'test/test_tally.rb': "require 'minitest/autorun'\n", Rakefile: RAKEFILE },
    unread: { 'test/test_tally.rb': "require 'nothing_like_it'\n", Rakefile: RAKEFILE },
  },
  phpunit: {
    command: 'phpunit tests',
    needs: ['phpunit'],
    files: {
      'tests/TallyTest.php': `<?php
use PHPUnit\\Framework\\TestCase;

final class TallyTest extends TestCase
{
    public function testAdds(): void { $this->assertSame(2, 1 + 1); }

    public function testIsWrong(): void
    {
        $this->assertSame(3, 1 + 1);
    }

    public function testIsSkipped(): void { $this->markTestSkipped('not yet'); }
}
`,
    },
    expected: [
      'passed tests/TallyTest.php > tests > TallyTest > testAdds',
      'failed tests/TallyTest.php > tests > TallyTest > testIsWrong',
      'skipped tests/TallyTest.php > tests > TallyTest > testIsSkipped',
    ],
    wrong: { file: 'tests/TallyTest.php', line: 10 },
    prints: 'Tests: 3, Assertions: 2, Failures: 1, Skipped: 1.',
    none: { 'tests/TallyTest.php': '<?php\n' },
    unread: { 'tests/TallyTest.php': '<?php\nnothing_like_it();\n' },
  },
  'surefire, behind maven': {
    command: 'mvn -q -s settings.xml test',
    needs: ['mvn', `${DEBIAN_JAVA}/org/apache/maven/plugins/maven-surefire-plugin/2.22.3`],
    files: {
      ...java,
      'settings.xml': `<settings><localRepository>\${env.HOME}/m2</localRepository><mirrors><mirror>
  <id>debian</id><mirrorOf>*</mirrorOf><url>file://${DEBIAN_JAVA}</url>
</mirror></mirrors></settings>
`,
      'pom.xml': `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId><artifactId>tally</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies><dependency>
    <groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope>
  </dependency></dependencies>
  <build><plugins>
    <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.0</version></plugin>
    <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin>
    <plugin><artifactId>maven-surefire-plugin</artifactId><version>2.22.3</version></plugin>
  </plugins></build>
</project>
`,
    },
    expected: [
      'passed org.example.TallyTest > adds',
      'failed org.example.TallyTest > isWrong',
      'skipped org.example.TallyTest > isSkipped',
    ],
    wrong: { file: 'src/test/java/org/example/TallyTest.java', line: 11 },
    prints: 'There are test failures',
    slow: true,
  },
  gradle: {
    command: 'gradle --offline --no-daemon test',
    needs: ['gradle', '/usr/share/java/junit4.jar'],
    files: {
      ...java,
      'build.gradle': `apply plugin: 'java'
dependencies { testCompile files('/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar') }
`,
    },
    expected: [
      'passed org.example.TallyTest > adds',
      'failed org.example.TallyTest > isWrong',
      'skipped org.example.TallyTest > isSkipped',
    ],
    wrong: { file: 'src/test/java/org/example/TallyTest.java', line: 11 },
    prints: '3 tests completed, 1 failed, 1 skipped',
    slow: true,
  },
  bats: {
    command: 'bats test.bats',
    needs: ['bats'],
    files: {
      'test.bats':
        '@test "adds" {\n  true\n}\n\n@test "is wrong" {\n  false\n}\n\n@test "is skipped" {\n  skip "not yet"\n}\n',
    },
    expected: ['passed adds', 'failed is wrong', 'skipped is skipped'],
    wrong: null,
    prints: 'not ok 2 is wrong',
    none: { 'test.bats': '' },
  },
}

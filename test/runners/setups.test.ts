/**
 * Package managers that are on this machine, as `init` finds them: the setup runs for real, and the tests find what it
 * installed. Everything to install is a folder of the project or of the machine, so that no registry is asked.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Repo } from '../support/muster.ts'
import { exited, makeRepo } from '../support/muster.ts'

const bin = join(import.meta.dirname, '../../.runners/node_modules/.bin')
const PATH = [process.env['PATH'] ?? '', bin].join(delimiter)
const isThere = (what: string): boolean =>
  what.startsWith('/') ? existsSync(what) : PATH.split(delimiter).some((each) => existsSync(join(each, what)))

interface Project {
  needs: readonly string[]
  files: Readonly<Record<string, string>>
  /** Makes the lock file. */
  prepare?: string
  setup: RegExp
  tests: number
}

const node = {
  'package.json': JSON.stringify({
    private: true,
    scripts: { test: 'node --test' },
    dependencies: { own: 'file:./own' },
  }),
  'own/package.json': '{ "name": "own", "version": "1.0.0" }\n',
  'a.test.js': "const { test } = require('node:test')\nrequire('own/package.json')\ntest('finds it', () => {})\n",
  '.gitignore': 'node_modules\n',
}
const GEM = '/usr/share/rubygems-integration/all/gems/minitest-5.17.0'

const PROJECTS: Readonly<Record<string, Project>> = {
  yarn: {
    needs: ['yarn'],
    files: { ...node, 'yarn.lock': '' },
    prepare: 'yarn install && rm -rf node_modules',
    setup: /yarn install --(?:frozen-lockfile|immutable)$/,
    tests: 1,
  },
  bun: {
    needs: ['bun'],
    files: node,
    prepare: 'bun install && rm -rf node_modules',
    setup: /^bun install --frozen-lockfile$/,
    tests: 1,
  },
  poetry: {
    needs: ['poetry', 'python3'],
    files: {
      'pyproject.toml': `[tool.poetry]
name = "tally"
version = "0.1.0"
description = ""
authors = []
[tool.poetry.dependencies]
python = "^3.9"
shout = { path = "libs/shout", develop = true }
`,
      'libs/shout/pyproject.toml':
        '[tool.poetry]\nname = "shout"\nversion = "0.1.0"\ndescription = ""\nauthors = []\n[tool.poetry.dependencies]\npython = "^3.9"\n',
      'libs/shout/shout/__init__.py': '',
      'tests/__init__.py': '',
      'tests/test_tally.py':
        'import unittest\nimport shout\n\n\nclass Tally(unittest.TestCase):\n    def test_finds_it(self):\n        pass\n',
      '.gitignore': '.venv\n__pycache__\n',
    },
    prepare: 'poetry lock --no-interaction',
    setup: /poetry install --no-root --no-interaction$/,
    tests: 1,
  },
  bundler: {
    needs: ['bundle', 'rake', GEM],
    files: {
      Gemfile: `gem 'minitest', '5.17.0', path: '${GEM}'\n`,
      'test/tally_test.rb':
        "require 'minitest/autorun'\nclass TallyTest < Minitest::Test\n  def test_adds\n    assert_equal 3, 1 + 2\n  end\nend\n",
      '.gitignore': 'vendor\n.bundle\n',
    },
    setup: /^BUNDLE_PATH=vendor\/bundle bundle install$/,
    tests: 1,
  },
  composer: {
    needs: ['composer', 'phpunit', '/usr/bin/phpunit'],
    files: {
      'composer.json': JSON.stringify({
        repositories: [{ type: 'path', url: 'libs/*' }, { 'packagist.org': false }],
        'require-dev': { 'phpunit/phpunit': '*' },
      }),
      'libs/phpunit/composer.json': '{ "name": "phpunit/phpunit", "version": "9.6.7", "bin": ["phpunit"] }\n',
      'libs/phpunit/phpunit': "<?php\nrequire '/usr/bin/phpunit';\n",
      'phpunit.xml':
        '<phpunit bootstrap="vendor/autoload.php"><testsuites><testsuite name="all"><directory>tests</directory></testsuite></testsuites></phpunit>\n',
      'tests/TallyTest.php':
        '<?php\nclass TallyTest extends PHPUnit\\Framework\\TestCase\n{\n    public function testAdds(): void\n    {\n        $this->assertSame(3, 1 + 2);\n    }\n}\n',
      '.gitignore': 'vendor\n.phpunit.result.cache\n',
    },
    setup: /^composer install --no-interaction --no-progress$/,
    tests: 1,
  },
}

function repoOf({ files, prepare }: Project): Repo {
  const repo = makeRepo({ agent: null })
  repo.git('clean', '--quiet', '--force')
  for (const [path, text] of Object.entries(files)) repo.write(path, text)
  const env = { PATH, HOME: repo.home }
  if (prepare !== undefined) execFileSync('/bin/sh', ['-c', prepare], { cwd: repo.dir, env, stdio: 'pipe' })
  repo.git('add', '.')
  repo.git('commit', '-qm', 'Files')
  return repo
}

test.for(Object.entries(PROJECTS))(
  '%s: what init writes installs, its tests run, and doctor agrees',
  { timeout: 120_000 },
  async ([name, project], { skip }) => {
    skip(!project.needs.every(isThere), `${name} is not on this machine`)
    const repo = repoOf(project)
    const said = exited(await repo.musterWith({ env: { PATH } }, 'init', '--agent', 'true', '--json'), 0)
    const { setup, tried } = said.json<{ setup: string; tried: { setup: object; checks: object[] } }>()
    expect(setup).toMatch(project.setup)
    expect(tried, said.stdout).toMatchObject({
      setup: { ok: true },
      checks: [{ name: 'unit-test', result: 'green', counts: { executed: project.tests } }],
    })
    // As run does, doctor also looks whether the command that init wrote could start.
    exited(await repo.musterWith({ env: { PATH } }, 'doctor'), 0)
  },
)

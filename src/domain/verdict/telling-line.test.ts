import { expect, test } from 'vitest'
import { isUnreached, tellingLine } from './telling-line.ts'

test.each([
  [
    'make, which ends with the exit code of a recipe',
    'python -m unittest -v\nmake: python: No such file or directory\nmake: *** [Makefile:27: test] Error 127\n',
    'make: python: No such file or directory',
  ],
  [
    'make, of which there is nothing else',
    'make: *** [Makefile:27: test] Error 1\n',
    'make: *** [Makefile:27: test] Error 1',
  ],
  [
    'pytest, which ends with where it looked',
    'ERROR: usage: pytest [options]\npytest: error: unrecognized arguments: --cov\n  inifile: /x/pytest.ini\n  rootdir: /x\n',
    'pytest: error: unrecognized arguments: --cov',
  ],
  [
    'npm, which ends with where its log is',
    'npm error code E404\nnpm error 404 Not Found: own@9\nnpm error A complete log of this run can be found in: /x.log\n',
    'npm error 404 Not Found: own@9',
  ],
  [
    'a script of a package, with where it was',
    'npm error Error: connect refused\nnpm error     at Socket.emit (node:events:1:1)\nnpm error A complete log of this run\n',
    'npm error Error: connect refused',
  ],
  [
    'npm without a network, which goes on about proxies',
    "npm error FetchError: request to http://x failed, reason: connect ECONNREFUSED\nnpm error   code: 'ECONNREFUSED',\nnpm error }\nnpm error\nnpm error If you are behind a proxy, please make sure\n",
    'npm error FetchError: request to http://x failed, reason: connect ECONNREFUSED',
  ],
  [
    'pnpm, which goes on about something else',
    ' ERR_PNPM_FETCH_404  GET own: Not Found - 404\n\nNo authorization header was set for the request.\n',
    'ERR_PNPM_FETCH_404  GET own: Not Found - 404',
  ],
  [
    'pip, which says whose fault it is not',
    '  ERROR: No matching distribution found for own\n  [end of output]\n\nnote: This error originates from a subprocess, and is likely not a problem with pip.\n',
    'ERROR: No matching distribution found for own',
  ],
  [
    'bundler, which breaks its lines',
    'Could not reach host gems. Check your network connection and try\nagain.\n',
    'Could not reach host gems. Check your network connection and try',
  ],
  [
    'Maven, which goes on about switches and articles',
    '[ERROR] Failed to execute goal x:go-offline on project a: Unknown host repo.maven.apache.org -> [Help 1]\n[ERROR] \n[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.\n[ERROR] Re-run Maven using the -X switch to enable full debug logging.\n[ERROR] \n[ERROR] For more information about the errors and possible solutions, please read the following articles:\n[ERROR] [Help 1] http://x\n',
    '[ERROR] Failed to execute goal x:go-offline on project a: Unknown host repo.maven.apache.org -> [Help 1]',
  ],
  [
    'Composer, which breaks its lines within words and ends with its options',
    [
      '  The "https://packages.example/packages.json" file could not be downloaded:  ',
      '   getaddrinfo for packages.example failed: Name or service not known         ',
      '  Failed to open stream: getaddrinfo for the host with the name of packages.  ',
      '  example failed: Name or service not known                                   ',
      '',
      'install [--prefer-source] [--no-progress] [<packages>...]',
    ].join('\n'),
    'Failed to open stream: getaddrinfo for the host with the name of packages.example failed: Name or service not known',
  ],
  [
    'Gradle, which ends with what to try',
    "* What went wrong:\n> Could not GET 'https://x/junit.pom'.\n   > x: Name or service not known\n\n* Try:\nRun with --stacktrace option\n\nBUILD FAILED in 3s\n",
    '> x: Name or service not known',
  ],
  [
    'nox, which tells of its sessions',
    'nox > Running session tests\nERROR: No matching distribution found for pytest\nnox > Session tests failed.\n',
    'ERROR: No matching distribution found for pytest',
  ],
  ['one that names no error', 'one\ntwo\n', 'two'],
  ['one that said nothing', '', ''],
])('%s', (_, text, line) => expect(tellingLine(text)).toBe(line))

test.each([
  ['gems.example failed: Name or service not known', true],
  ['Could not reach host gems.example. Check your network connection and try', true],
  ['npm error FetchError: request to http://x failed, reason: connect ECONNREFUSED', true],
  ['Could not find artifact a:b:jar:1 in central', false],
  ['npm error 404 Not Found: own@9', false],
])('%s speaks of a host that could not be reached: %s', (text, is) => expect(isUnreached(text)).toBe(is))

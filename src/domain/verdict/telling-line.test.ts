import { expect, test } from 'vitest'
import { tellingLine } from './telling-line.ts'

test.each([
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
  ['one that names no error', 'one\ntwo\n', 'two'],
  ['one that said nothing', '', ''],
])('%s', (_, text, line) => expect(tellingLine(text)).toBe(line))

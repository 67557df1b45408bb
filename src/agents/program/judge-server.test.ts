import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { keepsIn } from '../../domain/config.ts'
import { judgeFileOf, type JudgeFile } from '../../ports/runtime.ts'
import { kinds } from '../../process/fixtures/kinds.ts'
import { tempDir } from '../../process/fixtures/temp.ts'
import { workerSpec } from '../../process/fixtures/worker.ts'
import { readLog } from '../../process/log-read.ts'
import { noSandbox } from '../../process/sandbox.ts'
import { supervise } from '../../process/supervise.ts'
import { judgeServer, JUDGE_SERVER_RULES } from './judge-server.ts'

const hiding = (await kinds()).filter(({ kind }) => keepsIn(kind))

describe.each(hiding)('in $name', ({ sandbox }) => {
  beforeEach(({ skip }) => skip(sandbox === null))

  test('a judge can start its tools with what it is shown', async () => {
    const dir = tempDir()
    const file: JudgeFile = { task: 't', attempt: 1, commit: '', criteria: [], warns: true, contract: '' }
    writeFileSync(judgeFileOf(dir), JSON.stringify(file))
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    writeFileSync(join(dir, 'asked'), `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
    const rules = [...JUDGE_SERVER_RULES, { path: dir, access: 'write' } as const]
    const inside = { sandbox: sandbox ?? noSandbox(''), rules }
    const spec = workerSpec(dir, '', { inside, command: judgeServer(dir), stdinFile: join(dir, 'asked') })
    await (
      await supervise(spec)
    ).ended
    expect((await readLog(dir)).toString()).toContain('"serverInfo"')
  })
})

import { expect, test } from 'vitest'
import { diskNote, networkName } from './data-folder.ts'

test.runIf(process.platform === 'linux')(
  'a network file system is known by its number, however that is told',
  async () => {
    expect([0x6969, 0xff534d42, 0xff534d42 | 0, 0x01021997].map(networkName)).toEqual(['NFS', 'CIFS', 'CIFS', '9P'])
    // ext4, tmpfs, overlay
    expect([0xef53, 0x01021994, 0x794c7630].map(networkName)).toEqual([null, null, null])
    expect(await diskNote('/')).toBeNull()
  },
)

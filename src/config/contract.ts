/** A contract that a person wrote in a file of its own. */
import type { WrittenContract } from '../domain/contract/contract.ts'
import { check } from './check.ts'
import { contractSchema } from './contract-schema.ts'
import { readYaml } from './yaml.ts'

export async function readContract(path: string, name: string): Promise<WrittenContract> {
  const file = await readYaml(path, name, 'contract')
  return check(file, contractSchema, [], 'docs/contracts.md shows a contract')
}

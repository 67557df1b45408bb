/** Loads every open task of a store into the engine's table and prints this process's resident memory in MB. */
import { TaskTable } from '../src/engine/loop/task-table.ts'
import { openStore } from '../src/store/store.ts'

const store = await openStore({ file: process.argv[2] ?? '', readOnly: true })
const table = new TaskTable()
for await (const page of store.openTasks()) for (const task of page) table.add(task)
if (table.moving() === 0) throw new Error('there are no tasks to hold')
await store.close()
console.log(Math.round(process.memoryUsage().rss / 1024 / 1024))

/** Splits lists of values that are longer than a statement's limit of parameters. */

const chunkValues = 500

/** Asks for each chunk of the distinct values and joins the answers. */
export async function inChunks<Value, Row>(
  values: Iterable<Value>,
  ask: (chunk: Value[]) => Promise<Row[]>,
): Promise<Row[]> {
  const distinct = [...new Set(values)]
  const rows: Row[] = []
  for (let from = 0; from < distinct.length; from += chunkValues) {
    for (const row of await ask(distinct.slice(from, from + chunkValues))) rows.push(row)
  }
  return rows
}

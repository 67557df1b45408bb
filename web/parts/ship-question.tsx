/** The question before a Ship: it names the current commit, and a yes ships only that one. */
import { useQuery } from '@tanstack/react-query'
import { at, post } from '../api/client.ts'
import { shipQuery, storiesQuery } from '../api/queries.ts'
import { queryClient, renew } from '../api/renew.ts'
import type { Shipping } from '../api/types.ts'
import type { Actionable } from './actions.tsx'
import type { Question } from './dialog.tsx'
import { short, ShipPlan } from './ship-plan.tsx'
import { Text } from './text.tsx'

export async function shipQuestion({ id, title }: Pick<Actionable, 'id' | 'title'>): Promise<Question> {
  // As it is at this moment: branches move without an event.
  const ship = await queryClient.fetchQuery({ ...shipQuery(id), staleTime: 0 })
  const { head, base, landed } = ship
  const send = async (body: object) => {
    try {
      await post('Story', at`/api/stories/${id}/ship`, body)
    } finally {
      // Whatever came of it, the page shows how the story stands now.
      void renew(['story', id])
      void renew(['stories'])
    }
  }
  const body = <ShipText id={id} ship={ship} />
  if (landed !== null) {
    const yes = `Continue with ${short(landed)}`
    return { title: `Continue the Ship of “${title}”?`, body, yes, act: () => send({ how: 'resume' }) }
  }
  const what = head === null ? 'it' : short(head)
  const branch = (await queryClient.ensureQueryData(storiesQuery)).find((one) => one.id === id)?.base ?? 'its base'
  const expect = head === null || base === null ? undefined : { head, base }
  return {
    title: `Ship “${title}”: ${what} to ${branch}?`,
    body,
    yes: `Ship ${what}`,
    act: () => send({ how: 'ship', expect }),
  }
}

function ShipText({ id, ship }: { id: string; ship: Shipping }) {
  const story = useQuery(storiesQuery).data?.find((one) => one.id === id)
  if (story === undefined) return <p>Loading the story…</p>
  return (
    <>
      <ShipPlan story={story} ship={ship} />
      {story.message === null ? null : (
        <p className="note warn">
          <Text>{story.message}</Text>
        </p>
      )}
    </>
  )
}

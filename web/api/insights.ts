/** Figures of the whole project, or of one story. */
import { queryOptions } from '@tanstack/react-query'
import { get } from './client.ts'
import type { Answer } from './types.ts'

export type Stats = Answer<'Stats'>
export type Spent = Answer<'Spent'>

export const insightsQuery = (story: string | undefined) =>
  queryOptions({
    queryKey: ['insights', story],
    queryFn: async (): Promise<{ stats: Stats; spent: Spent }> => {
      const of = story === undefined ? '' : `?story=${encodeURIComponent(story)}`
      const [stats, spent] = await Promise.all([get('Stats', `/api/stats${of}`), get('Spent', `/api/cost${of}`)])
      return { stats, spent }
    },
  })

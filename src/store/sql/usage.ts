import type { Usage } from '../../schema/message.ts';
import type { UsageStore } from '../store.ts';
import type { SessionWriter } from './session-writer.ts';
import { query } from './sql-context.ts';
import type { SqlContext } from './sql-context.ts';

export function sqlUsage(context: SqlContext): UsageStore {
  return {
    list: (owner, from, to) =>
      query(context, async (db) => {
        const rows = await db
          .selectFrom('durascope_usage')
          .selectAll()
          .where('owner', '=', owner)
          .where('day', '>=', from)
          .where('day', '<=', to)
          .orderBy('day')
          .orderBy('agent')
          .execute();
        return rows.map((row) => ({
          day: row.day,
          agent: row.agent,
          turns: row.turns,
          usage: {
            inputTokens: row.input_tokens,
            outputTokens: row.output_tokens,
            cachedInputTokens: row.cached_input_tokens,
            reasoningTokens: row.reasoning_tokens,
          },
        }));
      }),
  };
}

/** A turn that ends, on its owner's account. */
export async function addToDay(
  { trx, session, now }: SessionWriter,
  agent: string,
  usage: Usage,
): Promise<void> {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage;
  await trx
    .insertInto('durascope_usage')
    .values({
      owner: session.owner,
      day: now.slice(0, 10),
      agent,
      turns: 1,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cached_input_tokens: cachedInputTokens,
      reasoning_tokens: reasoningTokens,
    })
    .onConflict((conflict) =>
      conflict.columns(['owner', 'day', 'agent']).doUpdateSet((eb) => ({
        turns: eb('durascope_usage.turns', '+', 1),
        input_tokens: eb('durascope_usage.input_tokens', '+', inputTokens),
        output_tokens: eb('durascope_usage.output_tokens', '+', outputTokens),
        cached_input_tokens: eb('durascope_usage.cached_input_tokens', '+', cachedInputTokens),
        reasoning_tokens: eb('durascope_usage.reasoning_tokens', '+', reasoningTokens),
      })),
    )
    .execute();
}

import { memo, useMemo } from 'react';
import type { AgentEvent } from '../../schema/event.ts';
import type { Msg } from '../../schema/message.ts';
import { money, type Costs } from '../api/cost.ts';
import type { TurnSummary } from '../api/types.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { Moment, duration, tokens } from '../parts/time.tsx';
import { Link, turnHref } from '../parts/router.tsx';
import { callTraces } from './call-traces.ts';
import { MessageView, type CallViews } from './message-view.tsx';

interface ConversationProps {
  sessionId: string;
  messages: readonly Msg[];
  facts: readonly AgentEvent[];
  turns: readonly TurnSummary[];
  costs: Costs;
  waiting: ReadonlySet<string>;
}

/** What was said, turn by turn. */
export function Conversation({ sessionId, messages, facts, turns, costs, waiting }: ConversationProps) {
  const results = useMemo(() => resultsIn(messages), [messages]);
  const traces = useMemo(() => callTraces(facts), [facts]);
  const calls: CallViews = { results, traces, waiting };
  const byTurn = useMemo(() => groupByTurn(messages), [messages]);
  const failures = useMemo(() => turnFailures(facts), [facts]);
  const records = useMemo(() => new Map(turns.map((record) => [record.turn, record])), [turns]);
  return (
    <div className="conversation">
      {[...byTurn].map(([turn, said]) => (
        <section key={turn} aria-label={`Turn ${turn}`} className="turn">
          <TurnHead sessionId={sessionId} turn={turn} record={records.get(turn)} costs={costs} />
          {said.map((message) => (
            <MessageView key={message.id} message={message} calls={calls} />
          ))}
          {failures.has(turn) ? (
            <p className="turn-error">
              <strong>The turn failed.</strong> {failures.get(turn)}
            </p>
          ) : null}
        </section>
      ))}
    </div>
  );
}

interface TurnHeadProps {
  sessionId: string;
  turn: number;
  record: TurnSummary | undefined;
  costs: Costs;
}

const TurnHead = memo(function TurnHead({ sessionId, turn, record, costs }: TurnHeadProps) {
  const cost = record && costs.ofAgent(record.agent, record.usage);
  return (
    <header className="turn-head">
      <h2>Turn {turn}</h2>
      {record ? (
        <>
          <StateBadge state={record.state === 'ended' ? (record.finishReason ?? 'ended') : record.state} />
          <span>
            <Moment at={record.startedAt} />
            {record.endedAt === undefined
              ? null
              : ` · ${duration(Date.parse(record.endedAt) - Date.parse(record.startedAt))}`}
          </span>
          {record.state === 'ended' ? (
            <span>
              {tokens(record.usage.inputTokens)} in, {tokens(record.usage.outputTokens)} out
              {cost === undefined ? null : ` · cost ${money(cost)}`}
            </span>
          ) : null}
        </>
      ) : null}
      <Link href={turnHref(sessionId, turn)}>
        Timeline<span className="unseen"> of turn {turn}</span>
      </Link>
    </header>
  );
});

function groupByTurn(messages: readonly Msg[]): Map<number, Msg[]> {
  const turns = new Map<number, Msg[]>();
  for (const message of messages) {
    const said = turns.get(message.turn);
    if (said) said.push(message);
    else turns.set(message.turn, [message]);
  }
  return turns;
}

function resultsIn(messages: readonly Msg[]): CallViews['results'] {
  return new Map(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool_result' ? [[block.id, block] as const] : [])),
    ),
  );
}

function turnFailures(facts: readonly AgentEvent[]): Map<number, string> {
  return new Map(
    facts.flatMap((event) =>
      event.kind === 'turn_end' && event.error && !event.path
        ? [[Number(event.turnId.split('/').at(-1)), event.error.message] as const]
        : [],
    ),
  );
}

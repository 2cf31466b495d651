import { useEffect, useMemo, useRef, type ReactNode } from 'react';
import { SessionFollower, useFollower, type UseSession } from '../../react/index.ts';
import { connection } from '../api/connection.ts';
import type { TurnSummary } from '../api/types.ts';
import { money, useCosts } from '../api/cost.ts';
import { useTurns } from '../api/queries.ts';
import { GateCard } from '../gates/gate-card.tsx';
import { ruleText } from '../gates/rule-text.ts';
import { SubmitError } from '../gates/submit-error.tsx';
import { useSubmit } from '../gates/use-submit.ts';
import { PageHeading } from '../parts/page-heading.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { Ago, tokens } from '../parts/time.tsx';
import { Background } from '../session/background.tsx';
import { Below } from '../session/below.tsx';
import { Composer } from '../session/composer.tsx';
import { Conversation } from '../session/conversation.tsx';
import { TaskList } from '../session/task-list.tsx';
import { TeamTree } from '../session/team-tree.tsx';

const none: readonly TurnSummary[] = [];

/** One session: what was said, what runs, what waits. */
export function SessionPage({ sessionId, agent }: { sessionId: string; agent: string | undefined }) {
  const follower = useMemo(
    () => new SessionFollower(connection, { sessionId, ...(agent === undefined ? {} : { agent }) }),
    [sessionId, agent],
  );
  const session = useFollower(follower);
  const { state, session: view, messages, pending, events, error } = session;
  const costs = useCosts();
  const cost = view && costs.ofAgent(view.agent, view.usage);
  const turns = useTurns(sessionId, events, messages[0]?.turn);
  const waiting = useMemo(() => new Set(pending.map(({ callId }) => callId)), [pending]);
  const end = useStickToEnd(messages);
  const isNew = state === 'absent' && agent !== undefined;
  return (
    <>
      <PageHeading title={sessionId}>
        <p className="session-line">
          <StateBadge state={isNew ? 'new' : state} />
          {view || agent !== undefined ? <span>{view?.agent ?? agent}</span> : null}
          {view ? (
            <>
              <span>{tokens(view.usage.inputTokens + view.usage.outputTokens)} tokens</span>
              {cost === undefined ? null : <span>cost {money(cost)}</span>}
              <span>
                changed <Ago at={view.updatedAt} />
              </span>
            </>
          ) : null}
        </p>
      </PageHeading>
      {state === 'loading' ? <Loading what="the session" /> : null}
      {error ? <Failure error={error} /> : null}
      {state === 'absent' && !isNew ? (
        <Empty title="There is no such session">
          <p>Its id is exact: capital letters count.</p>
        </Empty>
      ) : null}
      <div className="session-columns">
        <div className="session-main">
          {isNew ? <Empty title="Nothing was said yet" /> : null}
          <Earlier session={session} />
          <Conversation
            sessionId={sessionId}
            messages={messages}
            facts={events}
            turns={turns.data ?? none}
            costs={costs}
            waiting={waiting}
          />
          {pending.length === 0 ? null : (
            <section aria-label="Waiting" className="pending">
              {pending.map((gate) => (
                <GateCard key={gate.callId} gate={gate} isInSession />
              ))}
            </section>
          )}
          {view || isNew ? <Composer session={session} /> : null}
          <div ref={end} />
        </div>
        {view ? <Aside session={session} cost={cost} /> : null}
      </div>
    </>
  );
}

/** The pages before what is shown. What is read stays where it is on the screen. */
function Earlier({ session }: { session: UseSession }) {
  const submit = useSubmit();
  if (!session.hasEarlier) return null;
  const load = async (): Promise<void> => {
    const { documentElement: page } = document;
    const below = page.scrollHeight - page.scrollTop;
    await session.loadEarlier();
    requestAnimationFrame(() => globalThis.scrollTo(0, page.scrollHeight - below));
  };
  return (
    <div className="earlier">
      <button type="button" disabled={submit.isBusy} onClick={() => submit.run(load)}>
        {submit.isBusy ? 'Loading …' : 'Show earlier messages'}
      </button>
      <SubmitError error={submit.error} />
    </div>
  );
}

interface AsideProps {
  session: UseSession;
  cost: number | undefined;
}

function Aside({ session: { session: view, events }, cost }: AsideProps) {
  if (!view) return null;
  const { usage, permissions, tasks, background, metadata, sessionId, team } = view;
  return (
    <aside aria-label="About the session">
      {tasks.length === 0 ? null : (
        <Panel id="tasks" title="Tasks">
          <TaskList tasks={tasks} />
        </Panel>
      )}
      {team ? (
        <Panel id="team" title="Team">
          <TeamTree team={team} sessionId={sessionId} />
        </Panel>
      ) : null}
      {background.length === 0 ? null : (
        <Panel id="background" title="In the background">
          <Background sessionId={sessionId} tasks={background} />
        </Panel>
      )}
      <Below sessionId={sessionId} facts={events} team={team} />
      <Panel id="tokens" title="Tokens">
        <dl className="figures">
          <div>
            <dt>input</dt>
            <dd>{tokens(usage.inputTokens)}</dd>
          </div>
          <div>
            <dt>of it cached</dt>
            <dd>{tokens(usage.cachedInputTokens)}</dd>
          </div>
          <div>
            <dt>output</dt>
            <dd>{tokens(usage.outputTokens)}</dd>
          </div>
          <div>
            <dt>of it thinking</dt>
            <dd>{tokens(usage.reasoningTokens)}</dd>
          </div>
          {cost === undefined ? null : (
            <div>
              <dt>cost</dt>
              <dd>{money(cost)}</dd>
            </div>
          )}
        </dl>
      </Panel>
      <Panel id="permissions" title="Permissions">
        <p>Mode: {permissions.mode ?? 'as the agent has it'}</p>
        {permissions.rules.length === 0 ? (
          <p className="quiet-text">No rules of its own</p>
        ) : (
          <ul className="plain rules">
            {permissions.rules.map((rule) => (
              <li key={`${rule.behavior} ${ruleText(rule)}`}>
                <code>
                  {rule.behavior} {ruleText(rule)}
                </code>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      {Object.keys(metadata).length === 0 ? null : (
        <Panel id="metadata" title="Metadata">
          <dl className="figures">
            {Object.entries(metadata).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </Panel>
      )}
    </aside>
  );
}

function Panel({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="panel">
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** Who reads the end goes on reading the end; who has scrolled up is left alone. */
function useStickToEnd(content: unknown) {
  const end = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const look = (): void => {
      const { scrollHeight, clientHeight, scrollTop } = document.documentElement;
      isAtEnd.current = scrollHeight - clientHeight - scrollTop < 120;
    };
    globalThis.addEventListener('scroll', look, { passive: true });
    return () => globalThis.removeEventListener('scroll', look);
  }, []);
  useEffect(() => {
    if (isAtEnd.current) end.current?.scrollIntoView({ block: 'end' });
  }, [content]);
  return end;
}

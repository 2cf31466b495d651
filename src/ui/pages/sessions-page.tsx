import { useId, useState } from 'react';
import { useAgents, useSessions } from '../api/queries.ts';
import type { SessionSummary } from '../api/types.ts';
import { ListHead } from '../parts/list-head.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { Ago, tokens } from '../parts/time.tsx';
import { Link, navigate, sessionHref } from '../parts/router.tsx';
import { NewSession } from '../session/new-session.tsx';

const states = ['running', 'waiting', 'idle'];

export function SessionsPage({ query }: { query: URLSearchParams }) {
  const agent = query.get('agent') ?? undefined;
  const state = query.get('state') ?? undefined;
  const sessions = useSessions({ agent, state });
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = sessions;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <PageHeading title="Sessions" />
      <div className="toolbar">
        <Filters agent={agent} state={state} />
        <FindById />
      </div>
      <NewSession />
      {data ? (
        items.length > 0 ? (
          <SessionTable sessions={items} />
        ) : (
          <Empty title={agent || state ? 'No session is like this' : 'There are no sessions yet'}>
            <p>{agent || state ? 'Take back a filter to see others.' : 'Begin one above, or by the API.'}</p>
          </Empty>
        )
      ) : error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading what="sessions" />
      )}
      {hasNextPage ? (
        <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? 'Loading …' : 'Show more'}
        </button>
      ) : null}
    </>
  );
}

function Filters({ agent, state }: { agent: string | undefined; state: string | undefined }) {
  const id = useId();
  const agents = useAgents();
  const show = (change: { agent?: string; state?: string }): void => {
    const next = { agent: agent ?? '', state: state ?? '', ...change };
    const given = Object.entries(next).filter(([, value]) => value !== '');
    navigate(`/sessions${given.length > 0 ? `?${new URLSearchParams(given).toString()}` : ''}`);
  };
  const names = [...new Set([...(agents.data ?? []).map(({ name }) => name), ...(agent ? [agent] : [])])];
  return (
    <>
      <div className="field">
        <label htmlFor={`${id}-agent`}>Agent</label>
        <select
          id={`${id}-agent`}
          value={agent ?? ''}
          onChange={({ target }) => show({ agent: target.value })}
        >
          <option value="">all</option>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor={`${id}-state`}>State</label>
        <select
          id={`${id}-state`}
          value={state ?? ''}
          onChange={({ target }) => show({ state: target.value })}
        >
          <option value="">all</option>
          {states.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
    </>
  );
}

function FindById() {
  const id = useId();
  const [text, setText] = useState('');
  return (
    <form
      className="field find"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') navigate(sessionHref(text.trim()));
      }}
    >
      <label htmlFor={id}>Session id</label>
      <div className="joined">
        <input id={id} type="search" value={text} onChange={({ target }) => setText(target.value)} />
        <button type="submit">Open</button>
      </div>
    </form>
  );
}

function SessionTable({ sessions }: { sessions: readonly SessionSummary[] }) {
  return (
    <table className="list">
      <ListHead
        columns={['Session', 'State', 'Agent', { number: 'Turns' }, { number: 'Tokens' }, 'Changed']}
      />
      <tbody>
        {sessions.map(({ sessionId, state, agent, turn, usage, updatedAt }) => (
          <tr key={sessionId}>
            <th scope="row">
              <Link href={sessionHref(sessionId)}>{sessionId}</Link>
            </th>
            <td>
              <StateBadge state={state} />
            </td>
            <td data-label="Agent">{agent}</td>
            <td data-label="Turns" className="number">
              {turn}
            </td>
            <td data-label="Tokens" className="number">
              {tokens(usage.inputTokens + usage.outputTokens)}
            </td>
            <td data-label="Changed">
              <Ago at={updatedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

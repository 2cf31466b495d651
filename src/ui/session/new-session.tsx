import { useId, useState } from 'react';
import { newId } from '../../react/index.ts';
import { useAgents } from '../api/queries.ts';
import { navigate, sessionHref } from '../parts/router.tsx';

/** Opens a session that is not there yet: its first input begins it. */
export function NewSession() {
  const id = useId();
  const { data: agents = [] } = useAgents();
  const [agent, setAgent] = useState('');
  const chosen = agent === '' ? agents[0]?.name : agent;
  if (chosen === undefined) return null;
  return (
    <form
      className="new-session"
      onSubmit={(event) => {
        event.preventDefault();
        const query = new URLSearchParams({ agent: chosen });
        navigate(`${sessionHref(`${chosen}-${newId().slice(0, 8)}`)}?${query.toString()}`);
      }}
    >
      <label htmlFor={id}>New session with</label>
      <div className="joined">
        <select id={id} value={chosen} onChange={({ target }) => setAgent(target.value)}>
          {agents.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <button type="submit">Begin</button>
      </div>
    </form>
  );
}

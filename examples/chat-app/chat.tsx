import { useState } from 'react';
import { useSession } from 'durascope/react';

/** One session as a chat. */
export function Chat({ sessionId, agent }: { sessionId: string; agent: string }) {
  const { messages, pending, state, error, send, confirm, interrupt } = useSession({ sessionId, agent });
  const [input, setInput] = useState('');
  const isBusy = state === 'running' || state === 'waiting';
  return (
    <main>
      <h1>{agent}</h1>
      {messages.map((message) =>
        message.content.map((block) =>
          block.type === 'text' ? (
            <p key={block.id} className={message.role}>
              {block.text}
            </p>
          ) : block.type === 'tool_call' ? (
            <p key={block.id}>
              <small>uses {block.name}</small>
            </p>
          ) : null,
        ),
      )}
      {pending.map(({ callId, name, arguments: args }) => (
        <section key={callId} className="gate" aria-label={`${name} asks`}>
          <p>
            {name} asks to run with <code>{args}</code>
          </p>
          <button type="button" onClick={() => void confirm([{ callId, decision: 'allow' }])}>
            Approve
          </button>{' '}
          <button type="button" onClick={() => void confirm([{ callId, decision: 'deny' }])}>
            Deny
          </button>
        </section>
      ))}
      <p role="status">{error ? error.message : state}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setInput('');
          void send(input, isBusy ? { ifBusy: 'steer' } : {});
        }}
      >
        <input aria-label="Message" value={input} onChange={({ target }) => setInput(target.value)} />
        <button type="submit" disabled={input.trim() === ''}>
          {isBusy ? 'Steer' : 'Send'}
        </button>
        {isBusy ? (
          <button type="button" onClick={() => void interrupt()}>
            Stop
          </button>
        ) : null}
      </form>
    </main>
  );
}

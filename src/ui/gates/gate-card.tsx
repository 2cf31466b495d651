import { useId, type ReactNode } from 'react';
import type { Gate } from '../api/types.ts';
import { ArgumentsView } from '../parts/arguments-view.tsx';
import { Ago, Moment } from '../parts/time.tsx';
import { Link, sessionHref } from '../parts/router.tsx';
import { ConfirmForm } from './confirm-form.tsx';
import { ExternalForm } from './external-form.tsx';
import { QuestionForm } from './question-form.tsx';
import { ReconcileForm } from './reconcile-form.tsx';

interface GateCardProps {
  gate: Gate;
  /** Where the session is plain from what is around. */
  isInSession?: boolean;
  select?: ReactNode;
}

/** One call that waits: what it is, whose, why, and the answers that it takes. */
export function GateCard({ gate, isInSession = false, select }: GateCardProps) {
  const title = useId();
  const { question, path = [] } = gate;
  return (
    <article className={`gate ${gate.state}`} aria-labelledby={title} data-call={gate.callId} tabIndex={-1}>
      <header className="gate-head">
        {select}
        <div className="gate-title">
          <h2 id={title}>
            {question ? 'Question' : <code>{gate.name}</code>}
            <span className="gate-wants"> {wants(gate)}</span>
          </h2>
          <p className="quiet-text">
            {gate.agent === undefined ? null : <>{gate.agent} · </>}
            {path.length > 0 ? <>{path.join(' › ')} · </> : null}
            {isInSession && path.length === 0 ? null : (
              <>
                <Link href={sessionHref(gate.sessionId)}>{gate.sessionId}</Link> ·{' '}
              </>
            )}
            turn {gate.turn} · <Ago at={gate.createdAt} />
          </p>
        </div>
      </header>
      {question ? <p className="question">{question.question}</p> : <ArgumentsView json={gate.arguments} />}
      <Facts gate={gate} />
      <Answer gate={gate} />
    </article>
  );
}

function Facts({ gate }: { gate: Gate }) {
  const { reason, isSafety, isRunning, votes = [], votesNeeded, approval, deadline, question } = gate;
  const answerers = answerersOf(approval?.by);
  return (
    <ul className="facts">
      {reason === undefined || question ? null : <li>Why: {reason}</li>}
      {isSafety && !question ? (
        <li className="warn">For safety it is asked each time, whatever the rules say</li>
      ) : null}
      {isRunning ? <li>It asks while it runs: its worker waits for the answer, and not for long</li> : null}
      {answerers === undefined ? null : <li>To be answered by {answerers}</li>}
      {votesNeeded === undefined ? null : (
        <li>
          {votes.length} of {votesNeeded} people have allowed it
        </li>
      )}
      {votes.map(({ actor, arguments: allowed }) => (
        <li key={actor}>
          Allowed by {actor}
          {allowed === gate.arguments ? null : (
            <>
              {' '}
              with <code>{allowed}</code>
            </>
          )}
        </li>
      ))}
      {deadline ? (
        <li>
          Without an answer until <Moment at={deadline.dueAt} />: {deadlines[deadline.action]}
        </li>
      ) : null}
    </ul>
  );
}

const deadlines = { deny: 'it is denied', escalate: 'others are asked', wait: 'it waits on' };

/** Undefined: anyone who may approve. */
function answerersOf(by: NonNullable<Gate['approval']>['by']): string | undefined {
  if (by === undefined || by === 'anyone') return undefined;
  if (by === 'requester') return 'who asked for it';
  if (by === 'not_requester') return 'somebody else than who asked for it';
  return [...(by.people ?? []), ...(by.roles ?? []).map((role) => `anyone of ${role}`)].join(', ');
}

function Answer({ gate }: { gate: Gate }) {
  switch (gate.state) {
    case 'asking':
      return gate.question ? (
        <QuestionForm gate={gate} question={gate.question} />
      ) : (
        <ConfirmForm gate={gate} />
      );
    case 'submitted':
      return <ExternalForm gate={gate} />;
    case 'uncertain':
      return <ReconcileForm gate={gate} />;
    default:
      return null;
  }
}

function wants({ state, question }: Gate): string {
  if (question) return 'waits for an answer';
  switch (state) {
    case 'asking':
      return 'asks for approval';
    case 'submitted':
      return 'waits for its system';
    case 'uncertain':
      return 'may have happened';
    case 'held':
      return 'waits for others';
    default:
      return state;
  }
}

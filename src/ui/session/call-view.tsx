import { memo } from 'react';
import type { ToolCallBlock, ToolResultBlock } from '../../schema/message.ts';
import { ArgumentsView } from '../parts/arguments-view.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { duration } from '../parts/time.tsx';
import type { CallTrace } from './call-traces.ts';
import { Media } from './media.tsx';

interface CallViewProps {
  call: ToolCallBlock;
  result: ToolResultBlock | undefined;
  trace: CallTrace | undefined;
  isWaiting: boolean;
}

/** A call with its arguments, its progress, and its result. */
export const CallView = memo(function CallView({ call, result, trace, isWaiting }: CallViewProps) {
  const took =
    trace?.startedAt !== undefined && trace.endedAt !== undefined
      ? trace.endedAt - trace.startedAt
      : undefined;
  const isRunning = trace?.startedAt !== undefined && trace.endedAt === undefined;
  const state = result?.state ?? (isWaiting ? 'waiting' : isRunning ? 'running' : 'pending');
  const answered = trace?.waits.findLast(({ answer }) => answer !== undefined);
  return (
    <details className={`call ${state}`} open={isRunning}>
      <summary>
        <code>{call.name}</code> <StateBadge state={state} />
        {took === undefined ? null : <span className="quiet-text">{duration(took)}</span>}
      </summary>
      <div className="call-body">
        <ArgumentsView json={call.arguments} />
        {answered ? (
          <p className="quiet-text">
            {answered.answer?.replaceAll('_', ' ')}
            {answered.actor === undefined ? '' : ` by ${answered.actor}`}
            {answered.reason === undefined ? '' : `: ${answered.reason}`}
          </p>
        ) : null}
        {result || !trace?.progress ? null : <Progress progress={trace.progress} />}
        {result ? <Result result={result} /> : null}
      </div>
    </details>
  );
});

function Progress({ progress: { message, fraction } }: { progress: NonNullable<CallTrace['progress']> }) {
  return (
    <p className="progress">
      {fraction === undefined ? null : <progress value={fraction} aria-label="Progress" />} {message}
    </p>
  );
}

function Result({ result: { content } }: { result: ToolResultBlock }) {
  return (
    <div className="result">
      <p className="result-title">Result</p>
      {content.length === 0 ? <p className="quiet-text">Nothing</p> : null}
      {content.map((block) =>
        block.type === 'text' ? (
          <pre key={block.id} tabIndex={0}>
            {readable(block.text)}
          </pre>
        ) : (
          <Media key={block.id} block={block} />
        ),
      )}
    </div>
  );
}

/** JSON is told in lines; all else is shown as it came. */
function readable(text: string): string {
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

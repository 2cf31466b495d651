import { memo } from 'react';
import type { Block, HintBlock, Msg, ToolResultBlock } from '../../schema/message.ts';
import { Markdown } from '../parts/markdown.tsx';
import type { CallTrace } from './call-traces.ts';
import { CallView } from './call-view.tsx';
import { Media } from './media.tsx';

/** What the calls of a transcript have come to. */
export interface CallViews {
  results: ReadonlyMap<string, ToolResultBlock>;
  traces: ReadonlyMap<string, CallTrace>;
  waiting: ReadonlySet<string>;
}

export function MessageView({ message, calls }: { message: Msg; calls: CallViews }) {
  // Results are shown with their calls.
  if (message.role === 'tool') return null;
  const hints = message.content.filter((block): block is HintBlock => block.type === 'hint');
  if (hints.length > 0 && hints.length === message.content.length)
    return hints.map((hint) => <Hint key={hint.id} hint={hint} />);
  const isUser = message.role === 'user';
  return (
    <div className={`message ${message.role}`}>
      <p className="speaker">{message.name ?? (isUser ? 'User' : 'Agent')}</p>
      {message.content.map((block, index) => (
        <BlockView key={`${block.id} ${index}`} block={block} calls={calls} />
      ))}
      {isUser || message.finishReason !== undefined ? null : (
        <p className="writing">
          <span className="spinner" aria-hidden="true" /> writing …
        </p>
      )}
    </div>
  );
}

function BlockView({ block, calls }: { block: Block; calls: CallViews }) {
  switch (block.type) {
    case 'text':
      return block.text === '' ? null : <Markdown text={block.text} />;
    case 'thinking':
      return <Thinking text={block.text} />;
    case 'tool_call':
      return (
        <CallView
          call={block}
          result={calls.results.get(block.id)}
          trace={calls.traces.get(block.id)}
          isWaiting={calls.waiting.has(block.id)}
        />
      );
    case 'data':
      return <Media block={block} />;
    case 'hint':
      return <Hint hint={block} />;
    default:
      return null;
  }
}

const Thinking = memo(function Thinking({ text }: { text: string }) {
  if (text === '') return null;
  return (
    <details className="thinking">
      <summary>Thinking</summary>
      <Markdown text={text} />
    </details>
  );
});

function Hint({ hint }: { hint: HintBlock }) {
  return (
    <div className="hint">
      <p className="speaker">{hint.from ? `From ${hint.from.name}` : 'Note of the runtime'}</p>
      <Markdown text={hint.text} />
    </div>
  );
}

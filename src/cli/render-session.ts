import type { SessionDetails } from '../client/index.ts';
import type { Msg } from '../schema/message.ts';
import type { Page, TurnRecord } from '../store/store.ts';
import type { Edit } from './edits.ts';
import { howToAnswer } from './finish.ts';
import { blockText, oneLine, printable, table, usageText, type Style } from './text.ts';

export interface SessionReport extends SessionDetails {
  turns: Page<TurnRecord>;
  messages: Page<Msg>;
  /** Of the calls in these messages. */
  edits: readonly Edit[];
}

/** A session for people: what it is, its turns, what was said, what waits. Pure. */
export function renderSession(report: SessionReport, style: Style): string[] {
  const { colors } = style;
  const {
    ref,
    agent,
    state,
    queued = 0,
    lastTurn,
    usage,
    createdAt,
    updatedAt,
    turns,
    messages,
    pending,
    edits,
  } = report;
  return [
    `${colors.bold(ref.sessionId)} of ${ref.owner} · agent ${agent} · ${state}${queued === 0 ? '' : ` · ${queued} queued`}`,
    colors.dim(`${lastTurn} turns · ${usageText(usage)} · made ${createdAt} · changed ${updatedAt}`),
    '',
    ...table(['TURN', 'RUNS', 'STATE', 'ENDED BY', 'STARTED', 'USAGE'], turns.items.map(turnRow)),
    ...more(turns, 'older turns'),
    '',
    ...messages.items.flatMap((message) => messageLines(message, edits, style)),
    ...more(messages, 'more messages: --cursor'),
    ...(pending.length === 0 ? [] : ['', ...howToAnswer(pending)]),
  ];
}

function turnRow({ turn, run, state, finishReason, error, startedAt, usage }: TurnRecord): string[] {
  const ending = error ? `${finishReason}: ${oneLine(error.message, 60)}` : (finishReason ?? '');
  return [String(turn), String(run), state, ending, startedAt, usageText(usage)];
}

function messageLines(message: Msg, edits: readonly Edit[], { colors, width }: Style): string[] {
  return message.content.flatMap((block) => {
    switch (block.type) {
      case 'thinking':
        return [colors.dim(oneLine(block.text, width))];
      case 'tool_call':
        return [
          `${colors.cyan('→')} ${colors.bold(printable(block.name))} ${oneLine(block.arguments, width)}`,
          ...edits.filter(({ callId }) => callId === block.id).map((edit) => editLine(edit, width)),
        ];
      case 'tool_result':
        return [
          `  ${block.state === 'success' ? '✓' : `✗ ${block.state}`} ${oneLine(blockText(block), width)}`,
        ];
      case 'hint':
        return [colors.dim(`note: ${oneLine(block.text, width)}`)];
      default: {
        const text = blockText(block);
        return message.role === 'user' ? [colors.cyan(`> ${text}`)] : [text];
      }
    }
  });
}

function editLine({ arguments: args, actor }: Edit, width: number): string {
  const by = actor === undefined ? '' : ` by ${printable(actor)}`;
  return `  edited to ${oneLine(args, width)}${by}`;
}

function more({ nextCursor }: { nextCursor?: string }, what: string): string[] {
  return nextCursor === undefined ? [] : [`(${what} ${nextCursor})`];
}

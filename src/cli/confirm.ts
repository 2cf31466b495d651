import { text as readAll } from 'node:stream/consumers';
import { Option, type Command } from 'commander';
import type { PendingCall, Session } from '../client/index.ts';
import type { Confirmation } from '../contracts/inputs.ts';
import type { PermissionRule } from '../core/permission.ts';
import { formatRule } from '../core/permission-rule.ts';
import type { Json } from '../schema/message.ts';
import { actorOf, withActorOptions, type ActorOptions } from './actor.ts';
import { isAsking } from './approve.ts';
import { askQuestion } from './ask-question.ts';
import { CommandError, UsageError } from './command-error.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { withClient } from './open-client.ts';
import { allowRule, json } from './option-parsers.ts';
import { questionOption } from './question-option.ts';
import { printJson, printLines, terminalStyle } from './output.ts';
import { askAtTerminal } from './prompter.ts';
import { rememberable } from './render-gate.ts';
import { waitingCall } from './waiting-call.ts';

interface ConfirmOptions extends CommonOptions, ActorOptions {
  input?: Json;
  /** True: the narrowest rule that is suggested. */
  remember?: PermissionRule | true;
  answer?: string;
  question?: string;
}

export function confirmCommand(): Command {
  const command = defineCommand(
    'confirm',
    'let a call that waits for approval run, or answer its question',
    [
      'durascope confirm call_1',
      `durascope confirm call_1 --input '{"orderId": "1001", "amount": 5}'`,
      `durascope confirm call_1 --remember 'refund(orderId=1001)'`,
      'durascope confirm call_2 --answer "size L"',
      'durascope confirm call_3 --answer - < secret.txt',
    ].join('\n'),
  );
  return withActorOptions(command, 'who answers, for the record')
    .argument('<call>', 'its id, as "durascope gates" lists it')
    .option('--input <json>', 'arguments to run it with instead', json)
    .option(
      '--remember [rule]',
      'allow calls like it from now on in this session: by this rule, or by the narrowest one that is suggested',
      allowRule,
    )
    .addOption(
      new Option('--answer <text>', 'to its question; - reads it from stdin, as a secret must be').conflicts([
        'input',
        'remember',
      ]),
    )
    .addOption(questionOption())
    .addHelpText('after', '\nA question without --answer is asked at the terminal: a secret is not shown.\n')
    .action(confirm);
}

async function confirm(callId: string, options: ConfirmOptions): Promise<void> {
  await withClient(flagsOf(options), async (client, { owner }) => {
    const { session, call } = await waitingCall(client, { owner, callId }, 'asking');
    const confirmation = await confirmationOf(callId, call, options);
    await session.confirm([confirmation], { actor: actorOf(options) });
    await tell(session, confirmation, options);
  });
}

async function confirmationOf(
  callId: string,
  call: PendingCall | undefined,
  options: ConfirmOptions,
): Promise<Confirmation> {
  const { input, remember } = options;
  if (call?.question || options.answer !== undefined) return answerOf(callId, call, options);
  return {
    callId,
    decision: 'allow',
    ...(input === undefined ? {} : { input }),
    ...(remember === undefined
      ? {}
      : { remember: [remember === true ? narrowestRule(callId, call, input) : remember] }),
  };
}

function narrowestRule(
  callId: string,
  call: PendingCall | undefined,
  input: Json | undefined,
): PermissionRule {
  // The suggestions are for the arguments as proposed.
  if (input !== undefined)
    throw new UsageError('--remember with --input needs a rule: --remember "tool(pattern)"');
  if (!call)
    throw new CommandError(
      'conflict',
      `Call ${callId} waits for no approval (any more): see "durascope gates"`,
    );
  const [rule] = rememberable(call);
  if (rule) return rule;
  const why = call.isSafety ? ', because for safety it is asked each time' : '';
  throw new CommandError('no_rule', `Call ${callId} suggests no rule${why}: confirm it without --remember`);
}

async function answerOf(
  callId: string,
  call: PendingCall | undefined,
  { answer, json, question: questionId }: ConfirmOptions,
): Promise<Confirmation> {
  const question = call?.question;
  // Not the one that is open now: a repeat of this command must not answer the next one.
  const named = questionId === undefined ? {} : { questionId };
  const isAtTerminal = process.stdin.isTTY && !json;
  if (call && question && isAtTerminal && (answer === undefined || answer === '-')) {
    const asking = {
      ask: askAtTerminal,
      say: (line: string) => printLines([line]),
      signal: new AbortController().signal,
      style: terminalStyle(),
    };
    const confirmation = await askQuestion(asking, call, question);
    if (confirmation) return confirmation;
  }
  if (answer === '-')
    return {
      callId,
      decision: 'allow',
      answer: (await readAll(process.stdin)).replace(/\r?\n$/, ''),
      ...named,
    };
  if (answer === undefined)
    throw new UsageError(
      `Call ${callId} asks a question: give --answer "…", or --answer - and the text on stdin`,
    );
  if (question?.isSecret)
    throw new UsageError(
      `The answer to call ${callId} is a secret, and other users of a machine can read arguments: use --answer - and stdin`,
    );
  return { callId, decision: 'allow', answer, ...named };
}

async function tell(session: Session, confirmation: Confirmation, options: ConfirmOptions): Promise<void> {
  const { callId, decision, remember } = confirmation;
  const needsOthers = await isAsking(session, callId);
  if (options.json) {
    printJson({
      callId,
      sessionId: session.id,
      decision,
      ...(remember ? { remember } : {}),
      ...(needsOthers ? { needsOthers } : {}),
    });
    return;
  }
  const done = decision === 'deny' ? 'denied' : confirmation.answer === undefined ? 'allowed' : 'answered';
  printLines([
    needsOthers
      ? `allowed ${callId}: others must allow it too`
      : `${done} ${callId}: session ${session.id} goes on`,
    ...(remember ?? []).map((rule) => `from now on ${session.id} allows ${formatRule(rule)}`),
  ]);
}

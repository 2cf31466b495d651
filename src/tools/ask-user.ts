import { z } from 'zod';
import type { Question } from '../schema/event.ts';
import { defineTool } from './define-tool.ts';
import type { Tool } from './tool.ts';

const input = z.object({
  question: z.string().min(1).describe('What you need to know, in one or two sentences'),
  options: z
    .array(z.object({ label: z.string().min(1), description: z.string().optional() }))
    .max(20)
    .optional()
    .describe('Answers to choose from; leave out for a free answer'),
  allowOther: z.boolean().optional().describe('With options: whether another answer is fine too'),
  secret: z
    .boolean()
    .optional()
    .describe('The answer is a password or key: you get a placeholder to pass on to tools'),
});

/**
 * A tool with which an agent asks a person a structured question. It opens a gate like any other: the answer, given as
 * `confirm([{ callId, decision: 'allow', answer }])`, is the tool's result. A secret answer never enters the transcript.
 *
 * @example defineAgent({ name: 'support', model: 'openai/gpt-5-mini', instructions: '…', tools: [askUser()] });
 */
export function askUser(options: { name?: string; description?: string } = {}): Tool {
  const tool = defineTool({
    name: options.name ?? 'ask_user',
    description:
      options.description ??
      'Ask the user a question when you cannot go on without an answer that only they have. Ask one thing at a time.',
    input,
    external: true,
  });
  return Object.freeze<Tool>({
    ...tool,
    isExternal: false,
    question: (given) => toQuestion(given as z.infer<typeof input>),
  });
}

function toQuestion({
  question,
  options,
  allowOther = false,
  secret = false,
}: z.infer<typeof input>): Question {
  const labels =
    options?.length === 0
      ? undefined
      : options?.map(({ label, description }) => ({
          label,
          ...(description === undefined ? {} : { description }),
        }));
  return {
    question,
    ...(labels ? { options: labels } : {}),
    isFree: labels === undefined || allowOther,
    isSecret: secret,
  };
}

const words: Record<string, string> = {
  permission_asking: 'asking',
  tool_suspended: 'suspended',
  model_stop: 'answered',
  structured_output: 'answered',
  tool_return_direct: 'answered',
  max_iterations: 'step limit',
  budget_exceeded: 'budget used up',
};

const tones: Record<string, string> = {
  running: 'busy',
  in_progress: 'busy',
  waiting: 'wait',
  asking: 'wait',
  held: 'wait',
  submitted: 'wait',
  uncertain: 'bad',
  error: 'bad',
  unavailable: 'bad',
  denied: 'bad',
  failed: 'bad',
  lost: 'bad',
  interrupted: 'bad',
  max_iterations: 'bad',
  budget_exceeded: 'bad',
  ok: 'good',
  success: 'good',
  completed: 'good',
  done: 'good',
  model_stop: 'good',
  structured_output: 'good',
  tool_return_direct: 'good',
};

/** A state as a word with a color, never the color alone. */
export function StateBadge({ state }: { state: string }) {
  return (
    <span className={`badge ${tones[state] ?? 'plain'}`}>{words[state] ?? state.replaceAll('_', ' ')}</span>
  );
}

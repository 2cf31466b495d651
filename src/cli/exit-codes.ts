export const exitCode = {
  ok: 0,
  /** What was asked for did not come about; a turn that ended without an answer, or waits at a gate. */
  failed: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** A second Ctrl-C. */
  aborted: 130,
} as const;

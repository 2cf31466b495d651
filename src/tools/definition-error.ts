/** Something that a user defined (a tool, an agent, the config) is not valid. The message names the field and the remedy. */
export class DefinitionError extends Error {
  readonly code = 'InvalidDefinition';
  /** Path of the field in the definition, such as `retry.maxAttempts` or `tools[1].name`. */
  readonly field: string;

  /** @param subject what is being defined, such as `tool "refund_order"` */
  constructor(subject: string, field: string, problem: string, options?: ErrorOptions) {
    super(`Invalid ${subject}: ${field}: ${problem}`, options);
    this.name = 'DefinitionError';
    this.field = field;
  }
}

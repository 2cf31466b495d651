/** What the API refused, or why it could not be reached. */
export class ApiError extends Error {
  /** The problem's code, such as `conflict`; `unreachable` when no answer came. */
  readonly code: string;
  /** Of HTTP; 0 when no answer came. */
  readonly status: number;
  /** By field, where the request was malformed. */
  readonly errors: readonly { path: string; message: string }[];

  constructor(
    { code, status, errors = [] }: { code: string; status: number; errors?: readonly FieldError[] },
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.errors = errors;
  }

  /** Whether the same request may go well in a moment. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

type FieldError = { path: string; message: string };

/** The refusal that a response tells of, as `application/problem+json` or not. */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  const { status } = response;
  try {
    const problem = (await response.json()) as { code?: string; detail?: string; errors?: FieldError[] };
    const { code = 'unknown', detail = `The server answered ${status}`, errors = [] } = problem;
    return new ApiError({ code, status, errors }, detail);
  } catch (error) {
    return new ApiError({ code: 'unknown', status }, `The server answered ${status}`, { cause: error });
  }
}

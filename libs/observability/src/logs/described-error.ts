/** What a log line contains of an error. Never its message: a library's message may quote request data. */
export interface DescribedError {
  readonly name: string;
  /** SQLSTATE, or of the system: ECONNRESET. */
  readonly code?: string;
  /** Where it happened, one line for each frame. */
  readonly stack?: string;
  readonly cause?: DescribedError;
}

const deepest = 3;

export function describedError(error: unknown, depth = 1): DescribedError {
  if (!(error instanceof Error)) return { name: `(${typeof error})` };
  const { code } = error as { code?: unknown };
  const stack = framesOf(error);
  return {
    name: /^[\w$]{1,80}$/.test(error.name) ? error.name : 'Error',
    ...(typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) && { code }),
    ...(stack !== '' && { stack }),
    ...(error.cause !== undefined && depth < deepest && { cause: describedError(error.cause, depth + 1) }),
  };
}

// A place in a file, in Node itself or in code without a name. A message may hold lines that begin with "at" as well.
const frame = /^ {4}at (?:[^()]{1,200} \()?(?:file:\/\/|node:|\/|[A-Z]:\\|<anonymous>|native)[^()\s]{0,400}\)?$/;

/** The stack without its head, which is the message, however many lines that has. */
function framesOf({ stack, message }: Error): string {
  if (typeof stack !== 'string') return '';
  const head = message === '' ? -1 : stack.indexOf(message);
  const body = head === -1 ? stack : stack.slice(head + message.length);
  return body
    .split('\n')
    .slice(1)
    .filter((line) => frame.test(line))
    .join('\n');
}

import { OutboundError } from '@app/outbound';
import { sentenceOf } from '../failure';

/** Why a request came to nothing, with the code of the system or of TLS when there is one (`ECONNREFUSED`). */
export function reasonOf(error: unknown): string {
  if (!(error instanceof OutboundError)) return sentenceOf(error);
  const code = codeOf(error.cause);
  return code === undefined ? error.message : `${error.message} (${code})`;
}

function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : codeOf(cause.cause);
}

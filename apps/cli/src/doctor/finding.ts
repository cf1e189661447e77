import { sentenceOf } from '../failure';

/** What one check came to. Never holds a secret: it goes to terminals, tickets and chats. */
export interface Finding {
  readonly check: string;
  readonly outcome: 'ok' | 'warn' | 'fail';
  readonly found: string;
  /** What to do about it; absent when there is nothing to do. */
  readonly remedy?: string;
}

export function ok(check: string, found: string): Finding {
  return { check, outcome: 'ok', found };
}

export function warn(check: string, found: string, remedy: string): Finding {
  return { check, outcome: 'warn', found, remedy };
}

export function fail(check: string, found: string, remedy: string): Finding {
  return { check, outcome: 'fail', found, remedy };
}

/** A check that cannot be carried out has failed. */
export async function attempt(check: string, remedy: string, work: () => Promise<Finding>): Promise<Finding> {
  try {
    return await work();
  } catch (error) {
    return fail(check, sentenceOf(error), remedy);
  }
}

import { createHash } from 'node:crypto';
import type { Aggregate, EventStore, Repository } from '@app/event-store';

/** A tiny aggregate for the tests of the store: an account that is opened and paid into. */
export type AccountEvent =
  | { type: 'Opened'; owner: string; closesAt?: string }
  | { type: 'PaidIn'; amount: number }
  | { type: 'Closed' }
  | { type: 'PersonalDataErased' };

export interface Account {
  readonly status: 'open' | 'closed';
  readonly owner: string;
  readonly balance: number;
  /** RFC 3339. */
  readonly closesAt?: string;
}

export const account: Aggregate<Account, AccountEvent> = {
  category: 'account',
  evolve(state, event) {
    switch (event.type) {
      case 'Opened': {
        const { owner, closesAt } = event;
        return { status: 'open', owner, balance: 0, ...(closesAt !== undefined && { closesAt }) };
      }
      case 'PaidIn':
        return { ...opened(state), balance: opened(state).balance + event.amount };
      case 'Closed':
        return { ...opened(state), status: 'closed' };
      case 'PersonalDataErased':
        return opened(state);
    }
  },
  parent: (state) => state.owner,
  terms: ['owner'],
};

export interface Note {
  readonly text: string;
}
export type NoteEvent = { type: 'Written'; text: string };

export const note: Aggregate<Note, NoteEvent> = {
  category: 'note',
  evolve: (_state, event) => ({ text: event.text }),
};

export function repositories(store: EventStore): {
  accounts: Repository<Account, AccountEvent>;
  notes: Repository<Note, NoteEvent>;
} {
  return { accounts: store.repository(account), notes: store.repository(note) };
}

export const open = (owner = 'ada'): AccountEvent => ({ type: 'Opened', owner });
export const payIn = (amount: number): AccountEvent => ({ type: 'PaidIn', amount });

export function hash(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}

/** Resolves as soon as the condition holds. */
export async function eventually(condition: () => boolean | Promise<boolean>, within = 150_000): Promise<void> {
  const deadline = Date.now() + within;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('It did not happen in time.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function opened(state: Account | undefined): Account {
  if (state === undefined) throw new Error('An account starts by being opened.');
  return state;
}

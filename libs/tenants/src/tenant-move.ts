import { setTimeout as delay } from 'node:timers/promises';
import {
  assertCopied,
  copyRows,
  handledAll,
  holdBack,
  ownsTables,
  removeRows,
  type SqlDriver,
  Stores,
  takeLock,
  TenantMoveError,
  type TenantRows,
} from '@app/event-store';
import type { StoredTenants } from './stored-tenants';
import { longestKnown } from './tenant-registry';
import { beginMove, endMove, firstStore, storeNameOf, switchStore, type TenantState } from './tenant';

/** What the product stores of tenants. */
export interface MovedContent extends Pick<TenantRows, 'categories' | 'tables'> {
  /** Those that have to have handled the events of a tenant before it moves. */
  readonly subscriptions: readonly string[];
}

export const moveSteps = ['begun', 'held-back', 'handled', 'copied', 'passed', 'switched', 'removed'] as const;
export type MoveStep = (typeof moveSteps)[number];

export interface MoveTerms {
  /** Milliseconds after which every replica that runs knows that the tenant moves. */
  readonly settle?: number;
  /** Milliseconds for subscriptions to handle what is left. */
  readonly patience?: number;
  readonly onStep?: (step: MoveStep) => void | Promise<void>;
}

const usualSettle = longestKnown + 1_000;
const usualPatience = 60_000;

/**
 * Moves what is stored of a tenant to another store. It is served nowhere from the beginning until all is copied. Interrupted at any point, it
 * goes on when it is asked for again. Throws `TenantMoveError`, and the problems of `beginMove`.
 */
export async function moveTenant(
  { records }: StoredTenants,
  stores: Stores,
  content: MovedContent,
  tenantId: string,
  to: string,
  { settle = usualSettle, patience = usualPatience, onStep }: MoveTerms = {},
): Promise<TenantState> {
  const step = async (name: MoveStep): Promise<void> => onStep?.(name);
  const session = await stores.at(undefined).session();
  try {
    if (!(await takeLock(session, `move tenant ${tenantId}`)))
      throw new TenantMoveError(`The tenant ${tenantId} is being moved by another command.`);
    const { tenant: found } = await records.find(tenantId);
    const from = found.move?.from ?? storeNameOf(found);
    records.assertStore(from);
    records.assertStore(to);
    if (found.move === undefined && from === to) return found;
    const source = stores.at(nameIn(from));
    const target = stores.at(nameIn(to));
    await assertOwner(source, from);
    await assertOwner(target, to);
    let { tenant } = await records.decide(tenantId, (present) => beginMove(present, to));
    await step('begun');
    const rows: TenantRows = { mark: tenant.mark, categories: content.categories, tables: content.tables };
    if (tenant.move?.phase === 'copying') {
      await delay(settle);
      await holdBack(source, tenant.mark);
      await step('held-back');
      await handledAll(source, rows, content.subscriptions, patience);
      await step('handled');
      await copyRows(source, target, rows);
      await step('copied');
      // Readers there leave the events of tenants that are elsewhere to others: these are not handed out a second time.
      await handledAll(target, rows, content.subscriptions, patience);
      await step('passed');
      await assertCopied(source, target, rows);
      ({ tenant } = await records.decide(tenantId, switchStore));
      await step('switched');
    }
    await removeRows(source, rows);
    await step('removed');
    return (await records.decide(tenantId, endMove)).tenant;
  } finally {
    await session.close();
  }
}

function nameIn(store: string): string | undefined {
  return store === firstStore ? undefined : store;
}

async function assertOwner(driver: SqlDriver, store: string): Promise<void> {
  if (await ownsTables(driver)) return;
  throw new TenantMoveError(
    `The role of the connection does not own the tables of the store ${store}: run the command with a connection string of the owner, as "sealwright migrate".`,
  );
}

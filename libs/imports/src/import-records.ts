import { type PageQuery, assertConditions, type Conditions, versionConflict } from '@app/http';
import { ConflictError, type Loaded, type Page, type Repository } from '@app/event-store';
import type { Awaitable } from '@app/primitives/awaitable';
import { Problem } from '@app/primitives/problems';
import { Inject, Injectable } from '@nestjs/common';
import { type Import, type ImportEvent, IMPORTS } from './import';

/** An import with the version of its stream, which is its entity tag. */
export interface StoredImport {
  readonly importId: string;
  readonly found: Import;
  readonly version: number;
  /** Of what comes from its file; `undefined` once that is erased. */
  readonly dataKey: Buffer | undefined;
  /** The database's clock when it was read. */
  readonly now: Date;
}

@Injectable()
export class ImportRecords {
  constructor(@Inject(IMPORTS) private readonly imports: Repository<Import, ImportEvent>) {}

  /** @throws Problem `not-found` */
  async find(importId: string): Promise<StoredImport> {
    return stored(importId, await this.imports.load(importId));
  }

  /** `undefined` before it is stored. */
  async present(importId: string): Promise<StoredImport | undefined> {
    const loaded = await this.imports.load(importId);
    return loaded.state && stored(importId, loaded);
  }

  list(page: PageQuery): Promise<Page<Import>> {
    return this.imports.list(page);
  }

  async create(importId: string, events: readonly ImportEvent[], dataKey: Buffer): Promise<StoredImport> {
    await this.imports.save(importId, 0, events, { dataKey });
    return this.find(importId);
  }

  /** What a caller decides. Throws `not-found`, `version-conflict`, and what `decide` throws. */
  async change(
    importId: string,
    conditions: Conditions,
    decide: (found: Import, now: Date) => Awaitable<readonly ImportEvent[]>,
  ): Promise<StoredImport> {
    try {
      const changed = await this.imports.update(importId, (loaded) => {
        const { found, version } = stored(importId, loaded);
        assertConditions(conditions, version);
        return decide(found, loaded.now);
      });
      return stored(importId, changed);
    } catch (error) {
      if (error instanceof ConflictError && conditions.match !== undefined) throw versionConflict();
      throw error;
    }
  }

  /** What the service itself decides about one. */
  async decide(
    importId: string,
    decide: (found: Import, now: Date) => readonly ImportEvent[],
  ): Promise<Import | undefined> {
    const { state } = await this.imports.update(importId, ({ state: found, now }) => (found ? decide(found, now) : []));
    return state;
  }
}

function stored(importId: string, { state, version, dataKey, now }: Loaded<Import>): StoredImport {
  if (!state) throw new Problem('not-found', `There is no import with the id ${importId}.`);
  return { importId, found: state, version, dataKey, now };
}

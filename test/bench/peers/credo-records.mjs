import { RecordNotFoundError, StorageVersionRecord } from '@credo-ts/core';

/** A storage for Credo: the records themselves in a map, nothing written or copied, and an index of every tag. */
export class RecordsInMemory {
  supportsCursorPagination = false;
  #records = new Map();
  #byTag = new Map();
  #tagsOf = new Map();

  constructor() {
    const { frameworkStorageVersion: storageVersion } = StorageVersionRecord;
    this.save(undefined, new StorageVersionRecord({ storageVersion }));
  }

  async save(_, record) {
    this.#records.set(record.id, record);
    for (const key of this.#tagsOf.get(record.id) ?? []) this.#byTag.get(key)?.delete(record);
    const keys = [[undefined], ...Object.entries(record.getTags())].flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((one) => keyOf(record.type, name, one)),
    );
    this.#tagsOf.set(record.id, keys);
    for (const key of keys) {
      const found = this.#byTag.get(key);
      if (found) found.add(record);
      else this.#byTag.set(key, new Set([record]));
    }
  }

  update(_, record) {
    return this.save(_, record);
  }

  async updateByIdWithLock(context, kind, id, change) {
    const record = await change(await this.getById(context, kind, id));
    await this.save(context, record);
    return record;
  }

  async getById(_, { type }, id) {
    const record = this.#records.get(id);
    if (!record) throw new RecordNotFoundError('It is not stored.', { recordType: type });
    return record;
  }

  async getAll(_, { type }) {
    return [...(this.#byTag.get(keyOf(type)) ?? [])];
  }

  async findByQuery(_, { type }, { $or, ...equal }) {
    const wanted = Object.entries(equal).flatMap(([name, value]) =>
      value === undefined ? [] : (Array.isArray(value) ? value : [value]).map((one) => keyOf(type, name, one)),
    );
    const [first = keyOf(type), ...others] = wanted;
    const found = [...(this.#byTag.get(first) ?? [])].filter((record) =>
      others.every((key) => this.#byTag.get(key)?.has(record)),
    );
    if (!$or) return found;
    const either = (await Promise.all($or.map((query) => this.findByQuery(_, { type }, query)))).flat();
    return found.filter((record) => either.includes(record));
  }
}

function keyOf(type, name, value) {
  return JSON.stringify([type, name, value]);
}

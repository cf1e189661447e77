import { Global, Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { EventStore, EventStoreModule, SQL_DRIVER, StoreUnavailableError, type SqlDriver } from '@app/event-store';
import { startDatabase, type TestDatabase } from '../support/database/databases';
import { open, repositories } from './accounts';

describe('the module', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await startDatabase('postgres');
  });
  afterAll(() => database.stop());

  it('provides the opened store and driver to every module, and closes them at shutdown', async () => {
    @Injectable()
    class Accounts {
      readonly repository;
      constructor(store: EventStore) {
        this.repository = repositories(store).accounts;
      }
    }
    @Module({ providers: [Accounts] })
    class Business {}
    const options = Symbol('options');
    @Global()
    @Module({ providers: [{ provide: options, useValue: database.options }], exports: [options] })
    class Settings {}

    const app = await Test.createTestingModule({
      imports: [
        Settings,
        EventStoreModule.forRootAsync({
          inject: [options],
          useFactory: (given: TestDatabase['options']) => given,
        }),
        Business,
      ],
    }).compile();
    await app.init();
    await app.get(Accounts).repository.save('a', 0, [open()]);
    expect(
      await app.get<SqlDriver>(SQL_DRIVER).query({ name: 'keys', text: 'select * from key_store', values: [] }),
    ).toEqual([]);
    const store = app.get(EventStore);
    await app.close();
    await expect(store.ping()).rejects.toThrow(StoreUnavailableError);
  });
});

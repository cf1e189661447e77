import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { Module, type DynamicModule, type InjectionToken } from '@nestjs/common';
import { Authenticator } from './authenticator';
import { CheckpointKeys } from './checkpoint-keys';
import { KeyRing } from './key-ring';
import { KeyStore } from './key-store';
import { KEY_ROWS, ProvenKeys } from './proven-keys';
import { type FirstProofs, ProofKeys } from './proof-keys';
import { RootKey, unlockRootKey } from './root-key';
import { SealedTokens } from './sealed-token';
import { Sealer } from './sealer';

export interface KeysOptions<A extends unknown[]> {
  readonly inject?: InjectionToken[];
  /** Returns the password of the key store. */
  readonly useFactory: (...injected: A) => string | Promise<string>;
  /** Of each table whose rows carry proofs. */
  readonly firstProofs?: readonly FirstProofs[];
}

/** Global: provides what `exports` lists. A wrong password rejects the start. */
@Module({})
export class KeysModule {
  static forRootAsync<A extends unknown[]>({
    inject = [],
    useFactory,
    firstProofs = [],
  }: KeysOptions<A>): DynamicModule {
    return {
      module: KeysModule,
      global: true,
      providers: [
        { provide: KeyStore, inject: [SQL_DRIVER], useFactory: (driver: SqlDriver) => new KeyStore(driver) },
        {
          // The password is no provider: nothing but this factory ever sees it.
          provide: RootKey,
          inject: [KeyStore, ...inject],
          useFactory: async (store: KeyStore, ...injected: A) => unlockRootKey(store, await useFactory(...injected)),
        },
        {
          provide: KeyRing,
          inject: [ProvenKeys, RootKey],
          useFactory: (store: ProvenKeys, root: RootKey) => KeyRing.open(store, root),
        },
        {
          provide: ProofKeys,
          inject: [SQL_DRIVER, RootKey],
          useFactory: (driver: SqlDriver, root: RootKey) => ProofKeys.open(driver, root, firstProofs),
        },
        {
          provide: ProvenKeys,
          inject: [KeyStore, ProofKeys],
          useFactory: (store: KeyStore, proofs: ProofKeys) => new ProvenKeys(store, proofs.for(KEY_ROWS)),
        },
        {
          provide: CheckpointKeys,
          inject: [ProvenKeys, RootKey],
          useFactory: (store: ProvenKeys, root: RootKey) => CheckpointKeys.open(store, root),
        },
        { provide: Sealer, inject: [RootKey], useFactory: (root: RootKey) => new Sealer(root) },
        { provide: Authenticator, inject: [RootKey], useFactory: (root: RootKey) => new Authenticator(root) },
        {
          provide: SealedTokens,
          inject: [Authenticator],
          useFactory: (authenticator: Authenticator) => new SealedTokens(authenticator),
        },
      ],
      exports: [KeyRing, ProofKeys, CheckpointKeys, Sealer, Authenticator, SealedTokens],
    };
  }
}

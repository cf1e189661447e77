import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { perTenant, Tenants } from '@app/primitives/context';
import { Module, type DynamicModule, type InjectionToken } from '@nestjs/common';
import { Authenticator } from './proofs/authenticator';
import { CertificateKeys } from './signing/certificate-keys';
import { CheckpointKeys } from './signing/checkpoint-keys';
import { EncryptionKeys } from './encryption/encryption-keys';
import { ISSUER_KEYS, type KeysOfIssuer, issuerKeys } from './issuer-keys';
import { KeyRing } from './signing/key-ring';
import { noProviders, type SigningPolicy } from './signing/providers/provided-key';
import { KeyStore } from './store/key-store';
import { ProvenKeys } from './proofs/proven-keys';
import { ProofKeys } from './proofs/proof-keys';
import { RootKeys } from './root/root-keys';
import { openRootKeys } from './root/open-root-keys';
import { SealedTokens } from './proofs/sealed-token';
import { NamedShapes } from './shapes';
import { type ErasureKeySource, Sealer } from './sealing/sealer';
import { TENANT_KEYS, TenantKeys } from './tenant-keys';

export interface KeysOptions<A extends unknown[]> {
  readonly inject?: InjectionToken[];
  /** Returns the password of the key store. */
  readonly useFactory: (...injected: A) => string | Promise<string>;
  /** A provider of an `ErasureKeySource`, or of `undefined`; data keys are under the root key alone when absent. */
  readonly erasureKeys?: InjectionToken;
  /** Who signs; all keys are in this process when absent. */
  readonly signing?: {
    readonly inject: InjectionToken[];
    readonly useFactory: (...injected: never[]) => Promise<SigningPolicy>;
  };
}

/** Injection token of the `SigningPolicy`. */
const SIGNING_POLICY = Symbol('SIGNING_POLICY');

/** Global: provides what `exports` lists. A wrong password rejects the start. */
@Module({})
export class KeysModule {
  static forRootAsync<A extends unknown[]>(options: KeysOptions<A>): DynamicModule {
    const { inject = [], useFactory, erasureKeys, signing } = options;
    return {
      module: KeysModule,
      global: true,
      providers: [
        { provide: KeyStore, inject: [SQL_DRIVER], useFactory: (driver: SqlDriver) => new KeyStore(driver) },
        {
          // The password is no provider: nothing but this factory ever sees it.
          provide: RootKeys,
          inject: [KeyStore, ...inject],
          useFactory: async (store: KeyStore, ...injected: A) => openRootKeys(store, await useFactory(...injected)),
        },
        {
          provide: SIGNING_POLICY,
          inject: signing?.inject ?? [],
          useFactory: async (...injected: never[]) => (await signing?.useFactory(...injected)) ?? noProviders,
        },
        {
          provide: ISSUER_KEYS,
          inject: [ProvenKeys, KeyStore, RootKeys, ProofKeys, SIGNING_POLICY, Tenants],
          useFactory: issuerKeys,
        },
        {
          provide: TENANT_KEYS,
          inject: [KeyStore, RootKeys, ProofKeys, Tenants],
          useFactory: TenantKeys.with.bind(TenantKeys),
        },
        {
          provide: KeyRing,
          inject: [ISSUER_KEYS],
          useFactory: (keys: KeysOfIssuer) => perTenant(keys.ring, () => keys.ring),
        },
        {
          provide: ProofKeys,
          inject: [SQL_DRIVER, RootKeys],
          useFactory: (driver: SqlDriver, roots: RootKeys) => ProofKeys.open(driver, roots),
        },
        {
          provide: ProvenKeys,
          inject: [KeyStore, RootKeys, ProofKeys],
          useFactory: (store: KeyStore, roots: RootKeys, proofs: ProofKeys) => new ProvenKeys(store, roots, proofs),
        },
        {
          provide: CheckpointKeys,
          inject: [ProvenKeys, RootKeys],
          useFactory: (store: ProvenKeys, roots: RootKeys) => CheckpointKeys.open(store, roots),
        },
        {
          provide: CertificateKeys,
          inject: [ISSUER_KEYS],
          useFactory: (keys: KeysOfIssuer) => perTenant(keys.certificates, () => keys.certificates),
        },
        {
          provide: EncryptionKeys,
          inject: [ISSUER_KEYS],
          useFactory: (keys: KeysOfIssuer) => perTenant(keys.encryption, () => keys.encryption),
        },
        {
          provide: Sealer,
          inject: [RootKeys, TENANT_KEYS, ...(erasureKeys === undefined ? [] : [erasureKeys])],
          useFactory: (roots: RootKeys, { keyOf }: TenantKeys, source?: ErasureKeySource) =>
            new Sealer(roots, source, keyOf),
        },
        { provide: Authenticator, inject: [RootKeys], useFactory: (roots: RootKeys) => new Authenticator(roots) },
        {
          provide: SealedTokens,
          inject: [Authenticator],
          useFactory: (authenticator: Authenticator) => new SealedTokens(authenticator),
        },
        {
          provide: NamedShapes,
          inject: [Authenticator],
          useFactory: (authenticator: Authenticator) => new NamedShapes(authenticator),
        },
      ],
      exports: [
        KeyRing,
        CertificateKeys,
        EncryptionKeys,
        ProofKeys,
        CheckpointKeys,
        Sealer,
        Authenticator,
        SealedTokens,
        NamedShapes,
      ],
    };
  }
}

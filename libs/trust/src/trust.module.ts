import { Global, Module } from '@nestjs/common';
import { TrustAnchors } from './trust-anchors';

/** Global: whose certificates vouch for others. */
@Global()
@Module({ providers: [TrustAnchors], exports: [TrustAnchors] })
export class TrustModule {}

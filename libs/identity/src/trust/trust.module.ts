import { Global, Module } from '@nestjs/common';
import { TrustAnchors } from './trust-anchors';
import { TrustLists } from './trust-lists';

/** Global: whose certificates vouch for others. */
@Global()
@Module({ providers: [TrustLists, TrustAnchors], exports: [TrustAnchors] })
export class TrustModule {}

import { Global, Module } from '@nestjs/common';
import { KeptLists } from './kept-lists';
import { TrustAnchors } from './trust-anchors';
import { TrustLists } from './trust-lists';

/** Global: whose certificates vouch for others. */
@Global()
@Module({ providers: [KeptLists, TrustLists, TrustAnchors], exports: [TrustAnchors] })
export class TrustModule {}

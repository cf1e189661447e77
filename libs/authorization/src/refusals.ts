import { walletErrorOf } from '@app/http';
import { refusalOf } from '@app/openid4vc';
import { concernIn } from '@app/primitives/problems';
import { Injectable } from '@nestjs/common';
import type { RefusedRequest } from './api';
import { GrantTypes } from './grants/grant-types';
import type { GrantedBy } from './grants/grant-type';

/** Lets the portal see why a wallet was refused that has a code or token of ours. */
@Injectable()
export class GrantRefusals {
  constructor(private readonly grants: GrantTypes) {}

  /** Resolves before anything is recorded, so that the answer of the wallet does not wait for it. */
  async note(by: GrantedBy, exception: unknown, about: RefusedRequest): Promise<void> {
    const error = walletErrorOf(exception);
    // A failure of ours is in the log; a wallet that is to wait is not refused.
    if (!error || error.status >= 500 || error.code === 'issuance_pending') return;
    // One of the grant: what a wallet names is looked for there before anything is about it.
    const configurationId = about.configurationId ?? concernIn(exception).configuration;
    const refusal = refusalOf(error, { ...about, ...(configurationId !== undefined && { configurationId }) });
    await this.grants.noteRefusal(by, refusal);
  }
}

import { Module } from '@nestjs/common';
import {
  AwaitGrantedCredentialHandler,
  FindGrantHandler,
  NoteRefusedWalletHandler,
  ReportDenialsHandler,
} from './grant.handlers';
import { GrantTypes } from './grants/grant-types';
import { PreAuthorizedCodeGrant } from './grants/pre-authorized-code.grant';
import { NonceEndpoint } from './nonce.endpoint';
import { Refusals } from './refusals';
import { TokenEndpoint } from './token.endpoint';
import { WalletTokens } from './wallet-tokens';

@Module({
  controllers: [TokenEndpoint, NonceEndpoint],
  providers: [
    PreAuthorizedCodeGrant,
    GrantTypes,
    Refusals,
    WalletTokens,
    FindGrantHandler,
    AwaitGrantedCredentialHandler,
    ReportDenialsHandler,
    NoteRefusedWalletHandler,
  ],
})
export class AuthorizationModule {}

import { EventStore, type FoundStream, type SingleUse } from '@app/event-store';
import { WALLET_URLS } from '@app/identity';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import type { JsonObject } from '@app/primitives/json';
import { Sealer } from '@app/keys';
import type { LinkedOffer } from '@app/offers';
import { renderCodeResponse, type WalletUrls } from '@app/openid4vc';
import type { Identification, IdentifiedPerson } from '@app/templates';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import {
  type Authorization,
  type Authorizations,
  AUTHORIZATIONS,
  type ErrorForClient,
  type RefusalCause,
} from './authorization';
import {
  giveConsent,
  identifyPerson,
  type PageRefusal,
  pushAuthorization,
  refuseConsent,
} from './authorization-decisions';
import { AuthorizationSecrets } from './authorization-secrets';
import type { OAuthClient } from './clients/oauth-client';
import { openClaims, placeOfState, sealClaims } from './sealed-person';

const requestUriPrefix = 'urn:ietf:params:oauth:request_uri:';
/** Seconds, in which the page must be opened for the first time. */
export const requestUriLifetime = 60;
/** Milliseconds, in which the person may identify and decide. */
const timeForPage = 10 * 60 * 1000;
/** Milliseconds (FAPI 2.0 Security Profile §5.3.2.1), in which a browser is also told again what it was answered. */
const codeLifetime = 60 * 1000;

/** An authorization request of a client that was checked. */
export interface NewAuthorization {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly configurationIds: readonly string[];
  /** Whether it came with `authorization_details`. */
  readonly identifiersGiven: boolean;
  readonly state?: string;
  readonly offer?: LinkedOffer;
  readonly dpopThumbprint?: string;
  /** Proofs that are used up with it. */
  readonly uses: readonly SingleUse[];
}

/** An authorization request that the person has not decided about. */
export type OpenAuthorization = Extract<Authorization, { status: 'pushed' | 'identified' }> & {
  /** Until then it may be opened for the first time. */
  readonly openableUntil: Date;
  /** The database's clock. */
  readonly now: Date;
};

/** An authorization request that somebody has just decided about, whose answer may not have arrived. */
export type AnsweredAuthorization = Extract<Authorization, { status: 'code-issued' | 'refused' }> & {
  /** The database's clock. */
  readonly now: Date;
};

/** The address that the browser goes back to. */
export interface WayBack {
  readonly redirectTo: string;
}

interface PushedAuthorization {
  readonly requestUri: string;
  readonly expiresIn: number;
}

/** Carries an authorization request from its push to its answer: what the pages do with it. */
@Injectable()
export class AuthorizationRequests {
  constructor(
    private readonly store: EventStore,
    @Inject(AUTHORIZATIONS) private readonly authorizations: Authorizations,
    private readonly secrets: AuthorizationSecrets,
    private readonly sealer: Sealer,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  /** Throws `AlreadyConsumedError` when a proof was used before. */
  push(asked: NewAuthorization): Awaitable<PushedAuthorization> {
    const authorizationId = randomUUID();
    const now = this.store.clock();
    return whenThere(
      this.sealer.sealJson(asked.state ?? null, placeOfState(authorizationId)),
      ({ sealed, wrappedKey: dataKey }) => this.pushSealed(authorizationId, now, asked, { sealed, dataKey }),
    );
  }

  private pushSealed(
    authorizationId: string,
    now: Date,
    asked: NewAuthorization,
    { sealed, dataKey }: { readonly sealed: string; readonly dataKey: Buffer },
  ): Awaitable<PushedAuthorization> {
    const { client, redirectUri, codeChallenge, configurationIds, identifiersGiven } = asked;
    const completableUntil = new Date(now.getTime() + requestUriLifetime * 1000 + timeForPage);
    const handleSalt = this.secrets.handles.newSalt();
    const instanceKey = this.secrets.nameOfKey({ handleSalt }, client.instanceThumbprint);
    const dpopKey = this.secrets.nameOfKey({ handleSalt }, asked.dpopThumbprint);
    const events = pushAuthorization({
      authorizationId,
      handleSalt,
      clientId: client.clientId,
      redirectUri,
      codeChallenge,
      configurationIds,
      identifiersGiven,
      sealedState: sealed,
      pushedAt: now.toISOString(),
      completableUntil: completableUntil.toISOString(),
      ...(client.name !== undefined && { clientName: client.name }),
      ...(instanceKey !== undefined && { instanceKey }),
      ...(asked.offer && { offerId: asked.offer.offerId, offerHandleHash: asked.offer.handleHash }),
      ...(dpopKey !== undefined && { dpopKey }),
    });
    const consume = [this.secrets.handles.bindingOf({ handleSalt }, completableUntil), ...asked.uses];
    return whenThere(this.authorizations.save(authorizationId, 0, events, { consume, dataKey }), () => {
      return { requestUri: this.uriOf({ handleSalt }), expiresIn: requestUriLifetime };
    });
  }

  /** The `request_uri` of an authorization. */
  uriOf(authorization: { readonly handleSalt: string }): string {
    return requestUriPrefix + this.secrets.handles.textOf(authorization);
  }

  /** By the hash of its handle; otherwise as `find`. */
  findByHash(handleHash: Buffer): Awaitable<OpenAuthorization | undefined> {
    return whenThere(this.secrets.handles.find(this.authorizations, handleHash), (found) => found && openOf(found));
  }

  /** `undefined` when there is no such request, it is of another client, has been decided or has expired. */
  find(requestUri: string, clientId: string): Awaitable<OpenAuthorization | undefined> {
    return whenThere(this.load(requestUri, clientId), (found) => found && openOf(found));
  }

  /** `undefined` when there is no such request, it is of another client, or nobody has just decided about it. */
  async findAnswered(requestUri: string, clientId: string): Promise<AnsweredAuthorization | undefined> {
    const found = await this.load(requestUri, clientId);
    if (!found || (found.state.status !== 'code-issued' && found.state.status !== 'refused')) return undefined;
    return { ...found.state, now: found.now };
  }

  /**
   * Who the person is. Can be repeated until the person has decided: the last one counts.
   * @param session of the browser in which they were identified
   */
  identify(
    authorizationId: string,
    session: string,
    source: Identification,
    claims: JsonObject,
  ): Awaitable<PageRefusal | undefined> {
    const identified = this.authorizations.update<PageRefusal | undefined>(
      authorizationId,
      ({ state, dataKey, now }) => {
        const sealed = dataKey && sealClaims(this.sealer, authorizationId, dataKey, claims);
        return whenThere(sealed, (sealedClaims) => {
          if (!state || sealedClaims === undefined) return { events: [], result: 'ended' };
          const { events, refusal } = identifyPerson(state, { source, sealedClaims, session }, now);
          return { events, result: refusal };
        });
      },
    );
    return whenThere(identified, ({ result }) => result);
  }

  /** The person agrees, or did so a moment ago and heard nothing. @returns the way back with a code, or why there is none */
  consent(authorizationId: string, session: string): Awaitable<WayBack | PageRefusal> {
    const consented = this.authorizations.update<WayBack | PageRefusal>(authorizationId, ({ state, dataKey, now }) => {
      if (!state) return { events: [], result: 'ended' };
      const expiresAt = state.status === 'code-issued' ? new Date(state.expiresAt) : endOfAnswer(now);
      const { code, codeHash } = this.secrets.codeUntil(state, expiresAt);
      const { events, refusal } = giveConsent(
        state,
        { session, code: { codeHash, expiresAt: expiresAt.toISOString() } },
        now,
      );
      if (refusal) return { events, result: refusal };
      return whenThere(this.wayBack(state, dataKey, { code }), (result) => ({ events, result }));
    });
    return whenThere(consented, ({ result }) => result);
  }

  /**
   * Ends the request with an error for its client; of one that was ended a moment ago it gives the same error again.
   * @param session of the browser that is told
   * @param cause absent when the person says no
   */
  async refuse(
    authorizationId: string,
    session: string,
    error: ErrorForClient,
    cause?: RefusalCause,
  ): Promise<WayBack | PageRefusal> {
    const { result } = await this.authorizations.update<WayBack | PageRefusal>(
      authorizationId,
      async ({ state, dataKey, now }) => {
        if (!state) return { events: [], result: 'ended' };
        const asked = { session, error, until: endOfAnswer(now).toISOString() };
        const { events, refusal, answer } = refuseConsent(state, asked, now, cause);
        if (refusal) return { events, result: refusal };
        return { events, result: await this.wayBack(state, dataKey, { error: answer.error }) };
      },
    );
    return result;
  }

  /** Who the person is; `undefined` when nobody was identified, or the claims were erased. */
  async claimsOf(authorizationId: string): Promise<IdentifiedPerson | undefined> {
    const { state, dataKey } = await this.authorizations.load(authorizationId);
    if (!state || !dataKey || !('sealedClaims' in state)) return undefined;
    const claims = await openClaims(this.sealer, authorizationId, dataKey, state.sealedClaims);
    return claims && { source: state.source, claims };
  }

  private load(requestUri: string, clientId: string): Awaitable<FoundStream<Authorization> | undefined> {
    if (!requestUri.startsWith(requestUriPrefix)) return undefined;
    return whenThere(
      this.secrets.handles.findByText(this.authorizations, requestUri.slice(requestUriPrefix.length)),
      (found) => (found?.state.clientId === clientId ? found : undefined),
    );
  }

  /** RFC 6749 §4.1.2 and RFC 9207: the client's own query stays. */
  private wayBack(
    { authorizationId, redirectUri, sealedState }: Authorization,
    dataKey: Buffer | undefined,
    answer: { readonly code: string } | { readonly error: ErrorForClient },
  ): Awaitable<WayBack> {
    const opened =
      dataKey && sealedState !== undefined
        ? this.sealer.openJson(sealedState, dataKey, placeOfState(authorizationId))
        : undefined;
    return whenThere(opened, (given) => {
      const state = typeof given === 'string' ? given : undefined;
      return { redirectTo: renderCodeResponse(redirectUri, answer, { state, issuer: this.urls.issuer }) };
    });
  }
}

function endOfAnswer(now: Date): Date {
  return new Date(now.getTime() + codeLifetime);
}

function openOf({ state, now }: FoundStream<Authorization>): OpenAuthorization | undefined {
  if (state.status !== 'pushed' && state.status !== 'identified') return undefined;
  if (now.getTime() >= Date.parse(state.completableUntil)) return undefined;
  const openableUntil = new Date(Date.parse(state.pushedAt) + requestUriLifetime * 1000);
  return { ...state, openableUntil, now };
}

import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ManagementApi } from '../api/management-api';
import type { SessionState } from '../api/session';
import { text } from '../texts';

/** Milliseconds before its end at which a session is warned of (WCAG 2.2, 2.2.1). */
const warnedBefore = 120_000;

/** Whose session it is, and the way out of it. */
export function SignedIn({ session, signOut }: SessionState): VNode | null {
  if (session?.name === undefined) return null;
  return (
    <div class="person">
      <span>{session.name}</span>
      {([false, true] as const).map((everywhere) => (
        <button
          key={String(everywhere)}
          onClick={() => {
            signOut(everywhere);
          }}
        >
          {text(everywhere ? 'session.signOutEverywhere' : 'session.signOut')}
        </button>
      ))}
    </div>
  );
}

/** What has to be said about the session before anything else. */
export function SessionNotices({ api, state }: { readonly api: ManagementApi; readonly state: SessionState }): VNode {
  const { session, left, extend } = state;
  const [isProofWanted, wantProof] = useState(false);
  useEffect(
    () =>
      api.onProofWanted(() => {
        wantProof(true);
      }),
    [api],
  );
  const minutes = Math.max(1, Math.ceil((left ?? 0) / 60_000));
  return (
    <div role="alert">
      {left !== undefined && left <= warnedBefore && (
        <div class="problem">
          <p>{text('session.endsSoon', { count: minutes })}</p>
          <button class="primary" onClick={extend}>
            {text('session.stay')}
          </button>
        </div>
      )}
      {isProofWanted && (
        <div class="problem">
          <p>{text('session.proofWanted')}</p>
          <p class="actions">
            <a class="button primary" href="console/sign-in/start?again" target="_blank" rel="noopener noreferrer">
              {text('session.prove')}
            </a>
            <button
              onClick={() => {
                wantProof(false);
              }}
            >
              {text('session.proven')}
            </button>
          </p>
        </div>
      )}
      {session?.roles?.length === 0 && (
        <p class="problem">{text('session.noRoles', { name: session.name ?? '', subject: session.subject })}</p>
      )}
    </div>
  );
}

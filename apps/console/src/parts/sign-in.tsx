import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useSignInOffered } from '../api/session';
import { text, textFor } from '../texts';
import { KeyForm } from './key-form';

interface SignInProps {
  /** Whether a key was given, and the service did not accept it. */
  readonly isRefused: boolean;
  readonly onKey: (key: string) => void;
}

/** Where nobody is known: the way to the provider of the organisation, or a key where there is none. */
export function SignIn({ isRefused, onKey }: SignInProps): VNode {
  const isOffered = useSignInOffered();
  const [isKeyChosen, chooseKey] = useState(isRefused);
  if (isOffered === undefined) return <p role="status">{text('common.loading')}</p>;
  if (!isOffered) return <KeyForm isRefused={isRefused} onKey={onKey} />;
  if (isKeyChosen)
    return (
      <>
        <p class="problem">{text('session.keyInsteadOfPerson')}</p>
        <KeyForm isRefused={isRefused} onKey={onKey} />
        <p>
          <button
            onClick={() => {
              chooseKey(false);
            }}
          >
            {text('session.backToSignIn')}
          </button>
        </p>
      </>
    );
  const [, fault = ''] = /^#\/sign-in\/([\w-]+)$/.exec(location.hash) ?? [];
  return (
    <div class="narrow">
      <h1>{text('session.signInTitle')}</h1>
      {fault !== '' && (
        <p class="problem" role="alert">
          {textFor('session', `fault-${fault}`) ?? text('session.fault-failed')}
        </p>
      )}
      <p>{text('session.signInWords')}</p>
      <p class="actions">
        <a class="button primary" href="console/sign-in/start">
          {text('session.signIn')}
        </a>
      </p>
      <p>
        <button
          onClick={() => {
            chooseKey(true);
          }}
        >
          {text('session.chooseKey')}
        </button>
      </p>
    </div>
  );
}

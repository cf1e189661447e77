import type { Texts } from '../texts';

export const en: Texts = {
  page: {
    languages: 'Languages',
    scan: 'Scan the code with your wallet app.',
    codeImage: 'QR code that holds the link for your wallet',
    openWallet: 'Open the wallet on this device',
    otherWallets: 'Does your wallet not open, or not read the code?',
    otherForms: 'Choose another form of the link:',
    usualForm: 'Usual form',
    copy: 'Or copy this link into your wallet:',
    tooLong: 'The link is too long for a QR code. Open this page on the device that has your wallet.',
    checkAgain: 'Check again',
  },
  notices: {
    invalid: {
      title: 'This link is no longer valid',
      advice:
        'It has expired, has been used or was replaced by another one. Ask the organisation that gave you the link for a new one.',
    },
    tooMany: {
      title: 'Too many attempts',
      advice: 'Several links that do not exist were opened from your network. Please wait a minute and try again.',
    },
    unavailable: {
      title: 'This page is not available at the moment',
      advice: 'Please try again in a few minutes. Your link stays valid.',
    },
  },
  offer: {
    contents: 'What you receive',
    digits:
      'Your wallet will ask for a transaction code of {length} digits. You receive it separately, not on this page. Enter it only in your wallet.',
    characters:
      'Your wallet will ask for a transaction code of {length} characters. You receive it separately, not on this page. Enter it only in your wallet.',
    states: {
      waiting: {
        title: 'Your credential is being prepared',
        advice: 'The data is not complete yet. You can leave this page open: it shows when your credential is ready.',
      },
      ready: {
        title: 'Your credential is ready',
        advice: 'Get it with your wallet app.',
      },
      fetched: {
        title: 'Continue in your wallet',
        advice: 'Your wallet has opened the offer. Accept it there. If nothing happens, you can scan the code again.',
      },
      redeemed: {
        title: 'Your wallet is fetching the credential',
        advice: 'Follow the steps in your wallet. If it stops with an error, ask the issuer for a new link.',
      },
      deferred: {
        title: 'Your credential will follow',
        advice:
          'You have accepted it. Your wallet fetches it as soon as the issuer has your data; you can close this page.',
      },
      issued: {
        title: 'Your wallet has received the credential',
        advice: 'Check that it is in your wallet. Then you can close this page.',
      },
      accepted: {
        title: 'The credential is in your wallet',
        advice: 'It has been saved. You can close this page.',
      },
      refused: {
        title: 'Your wallet did not keep the credential',
        advice:
          'It was declined, or could not be saved. If you want the credential after all, ask the issuer for a new link.',
      },
      denied: {
        title: 'The credential cannot be issued',
        advice: 'Ask the issuer for the reason and what you can do.',
      },
      withdrawn: {
        title: 'The offer was withdrawn',
        advice: 'The issuer has cancelled it. Ask the issuer if you did not expect this.',
      },
      locked: {
        title: 'The offer is locked',
        advice: 'A wrong transaction code was entered too many times. Ask the issuer for a new link.',
      },
      offline: {
        title: 'The offer is paused',
        advice: 'The issuer does not give out this credential at the moment. Please try again later.',
      },
    },
  },
};

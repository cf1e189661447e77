import type { Texts } from '../texts';

export const en: Texts = {
  page: {
    languages: 'Languages',
    scan: 'Scan the code with your wallet app.',
    codeImage: 'QR code that holds the link for your wallet',
    openWallet: 'Open the wallet on this device',
    otherWallets: 'Does your wallet not open, or not read the code?',
    notOpening: 'Does your wallet not open?',
    otherForms: 'Choose another form of the link:',
    usualForm: 'Usual form',
    copy: 'Or copy this link into your wallet:',
    tooLong: 'The link is too long for a QR code. Open this page on the device that has your wallet.',
    sameDevice: 'Your wallet has to be on this device.',
    checkAgain: 'Check again',
    noWallet: 'Do you have no wallet app yet?',
    noWalletHelp:
      'A wallet is an app on your phone that keeps your digital credentials. Ask {issuer} which one you can use.',
    findWallet: 'How to get a wallet app',
    contact: 'Contact {issuer}',
    forms: {
      haip: 'For European identity wallets',
      final: 'For current wallets',
      'draft-20': 'For older wallets',
      'draft-20-redirect': 'For older wallets, second form',
      siopv2: 'For wallets that only log you in',
    },
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
  request: {
    contents: 'What you are asked to show',
    confirmation: 'What you confirm',
    reason: 'Why',
    identity: 'An identifier from your wallet',
    identityMeaning: 'Your wallet makes it for this sign-in. It says nothing about you.',
    anyCredential: 'A credential of your choice',
    sentWhole: 'Your wallet always sends a credential of this kind as a whole.',
    noClaims: 'Only that you have it',
    ageOver: 'That you are {age} or older',
    optional: 'Optional',
    oneOf: 'One of these is enough:',
    askBrowser: 'Continue with a wallet',
    browserFailed: 'That did not work. Try again, or use the other way below.',
    afterwards: 'Afterwards your wallet takes you back to {host}.',
    afterwardsHere: 'Afterwards your wallet takes you back to this browser.',
    needsScript: 'This step needs JavaScript. Allow it for this page, and load the page again.',
    technicalName: 'Technical name',
    goBack: 'Back to {host}',
    states: {
      pending: {
        title: 'Please show your credential',
        advice: 'Read below what is asked for. In your wallet you decide whether you send it.',
      },
      retrieved: {
        title: 'Continue in your wallet',
        advice:
          'Your wallet has opened the request. Confirm it there. If nothing happens, you can open the request again.',
      },
      rejected: {
        title: 'The answer was not accepted',
        advice: 'Your wallet may show the reason. You can try again, also with another credential.',
      },
      declined: {
        title: 'Nothing was shown',
        advice: 'You declined in your wallet, or it holds nothing that fits. You can try again.',
      },
      withheld: {
        title: 'One more step',
        advice:
          'Your wallet has sent the answer and takes you back. The answer is passed on only if you come back within five minutes, in the browser in which you began.',
      },
      verified: {
        title: 'Thank you, your answer was accepted',
        advice: 'What you sent has been checked. You can close this page.',
      },
      abandoned: {
        title: 'The answer was not passed on',
        advice:
          'Nobody came back from the wallet in time to the browser in which this began. Go back to where you came from and start again.',
      },
      expired: {
        title: 'This request has expired',
        advice: 'Nothing can be sent any more. Go back to where you came from and start again.',
      },
    },
    returns: {
      returning: {
        title: 'One moment',
        advice: 'We check that this is the browser in which you began.',
      },
      refused: {
        title: 'You could not be brought back',
        advice:
          'This is not the browser in which you began, the link was used before, or more than five minutes have passed. Open the page in which you began: it shows how things stand.',
      },
    },
    claims: {
      given_name: 'Given name',
      family_name: 'Family name',
      name: 'Full name',
      birthdate: 'Date of birth',
      birthplace: 'Place of birth',
      nationality: 'Nationality',
      email: 'E-mail address',
      phone: 'Phone number',
      address: 'Address',
      street: 'Street',
      postal_code: 'Postal code',
      locality: 'Town or city',
      country: 'Country',
      portrait: 'Photo of you',
      sex: 'Sex',
      document_number: 'Document number',
      expiry_date: 'Date of expiry',
      issuing_authority: 'Issuing authority',
      issuing_country: 'Issuing country',
    },
  },
  authorize: {
    username: 'User name',
    password: 'Password',
    login: 'Log in',
    asker: 'Who asks',
    contents: 'What you receive',
    data: 'What will be in it',
    dataLater: 'The issuer adds the data.',
    approve: 'Agree',
    reject: 'Do not agree',
    goBack: 'Back to the wallet',
    transactionCode: 'Transaction code',
    transactionCodeHint: 'You have received it separately from the issuer: {length} characters.',
    transactionCodeMissing: 'Enter the code that you have received.',
    transactionCodeWrong: 'The code is wrong. Tries left: {tries}. After the last one the offer is locked.',
    notYou: 'Is this not you?',
    otherLogin: 'Log in as somebody else',
    otherCredential: 'Show another credential',
    states: {
      login: {
        title: 'Log in',
        advice: 'This is a login for development: it accepts any name and any password.',
      },
      presentation: {
        title: 'Please show who you are',
        advice:
          'Before you receive the credential, show the following from your wallet. Do this only if you started this in your own wallet.',
      },
      consent: {
        title: 'Do you want this in your wallet?',
        advice: 'Check who asks for it and what it says. Agree only if you started this in your own wallet.',
      },
      'offer-needed': {
        title: 'Ask the issuer for an offer',
        advice:
          'A wallet cannot ask for this by itself. The issuer gives you a link or a QR code with which it starts.',
      },
      apart: {
        title: 'One after the other, please',
        advice:
          'These credentials need different ways of finding out who you are. Ask for them one by one in your wallet.',
      },
      'not-issued': {
        title: 'Not available at the moment',
        advice: 'The issuer does not give out this credential at the moment. Please try again later.',
      },
      ended: {
        title: 'This page is no longer valid',
        advice: 'It has expired, or this request was answered already. Go back to your wallet and start again.',
      },
      unpushed: {
        title: 'Your wallet asked in a way that is not possible here',
        advice:
          'It opened this page without sending its request to this service first. Go back to your wallet and start again; if it happens again, ask whoever provides the wallet.',
      },
      unexpected: {
        title: 'This is meant for somebody else',
        advice:
          'What you are about to receive is for another person than the one who has just been identified; it stays available to them. If that was somebody else’s login on this device, use your own.',
      },
      unproven: {
        title: 'We cannot tell whether this is meant for you',
        advice:
          'What was said about you does not include what the issuer needs to recognise you. Try again in another way, or ask the issuer.',
      },
      'other-browser': {
        title: 'This does not belong to your page',
        advice:
          'The page was opened in another browser, or your browser does not keep cookies. Go back to your wallet and start again.',
      },
    },
  },
  offer: {
    contents: 'What you receive',
    digits:
      'Your wallet will ask for a transaction code of {length} digits. You receive it separately, not on this page. Enter it only in your wallet.',
    characters:
      'Your wallet will ask for a transaction code of {length} characters. You receive it separately, not on this page. Enter it only in your wallet.',
    onOpenedPage:
      'You will be asked for a transaction code of {length} characters, in your wallet or on the page that it opens. You receive it separately, not on this page. Enter it nowhere else.',
    wrongCode: 'A wrong transaction code was entered. Tries left: {tries}. After the last one the offer is locked.',
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
      expired: {
        title: 'This offer has expired',
        advice: 'It can no longer be accepted. Ask the issuer for a new one.',
      },
      revoked: {
        title: 'The credential was revoked',
        advice: 'The issuer has declared it invalid for good. Ask the issuer if you did not expect this.',
      },
      suspended: {
        title: 'The credential is suspended',
        advice: 'It is not valid at the moment. The issuer can make it valid again; ask the issuer for the reason.',
      },
      offline: {
        title: 'The offer is paused',
        advice: 'The issuer does not give out this credential at the moment. Please try again later.',
      },
    },
  },
};

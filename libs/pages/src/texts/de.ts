import type { Texts } from '../texts';

export const de: Texts = {
  page: {
    languages: 'Sprachen',
    scan: 'Scannen Sie den Code mit Ihrer Wallet-App.',
    codeImage: 'QR-Code mit dem Link für Ihre Wallet',
    openWallet: 'Wallet auf diesem Gerät öffnen',
    otherWallets: 'Öffnet sich Ihre Wallet nicht, oder liest sie den Code nicht?',
    otherForms: 'Wählen Sie eine andere Form des Links:',
    usualForm: 'Übliche Form',
    copy: 'Oder kopieren Sie diesen Link in Ihre Wallet:',
    tooLong: 'Der Link ist zu lang für einen QR-Code. Öffnen Sie diese Seite auf dem Gerät mit Ihrer Wallet.',
    checkAgain: 'Erneut prüfen',
  },
  notices: {
    invalid: {
      title: 'Dieser Link ist nicht mehr gültig',
      advice:
        'Er ist abgelaufen, wurde bereits verwendet oder durch einen anderen ersetzt. Bitten Sie die Stelle, von der Sie den Link haben, um einen neuen.',
    },
    tooMany: {
      title: 'Zu viele Versuche',
      advice:
        'Aus Ihrem Netz wurden mehrere Links geöffnet, die es nicht gibt. Bitte warten Sie eine Minute und versuchen Sie es dann erneut.',
    },
    unavailable: {
      title: 'Diese Seite ist im Moment nicht verfügbar',
      advice: 'Bitte versuchen Sie es in einigen Minuten erneut. Ihr Link bleibt gültig.',
    },
  },
  offer: {
    contents: 'Das erhalten Sie',
    digits:
      'Ihre Wallet fragt nach einem Transaktionscode mit {length} Ziffern. Sie erhalten ihn getrennt, nicht auf dieser Seite. Geben Sie ihn nur in Ihrer Wallet ein.',
    characters:
      'Ihre Wallet fragt nach einem Transaktionscode mit {length} Zeichen. Sie erhalten ihn getrennt, nicht auf dieser Seite. Geben Sie ihn nur in Ihrer Wallet ein.',
    states: {
      waiting: {
        title: 'Ihr Nachweis wird vorbereitet',
        advice:
          'Die Daten sind noch nicht vollständig. Sie können diese Seite geöffnet lassen: Sie zeigt an, wenn Ihr Nachweis bereit ist.',
      },
      ready: {
        title: 'Ihr Nachweis ist bereit',
        advice: 'Holen Sie ihn mit Ihrer Wallet-App ab.',
      },
      fetched: {
        title: 'Weiter in Ihrer Wallet',
        advice:
          'Ihre Wallet hat das Angebot geöffnet. Nehmen Sie es dort an. Falls nichts geschieht, können Sie den Code erneut scannen.',
      },
      redeemed: {
        title: 'Ihre Wallet ruft den Nachweis ab',
        advice:
          'Folgen Sie den Schritten in Ihrer Wallet. Falls sie mit einem Fehler abbricht, bitten Sie den Aussteller um einen neuen Link.',
      },
      deferred: {
        title: 'Ihr Nachweis folgt',
        advice:
          'Sie haben ihn angenommen. Ihre Wallet ruft ihn ab, sobald dem Aussteller Ihre Daten vorliegen; Sie können diese Seite schließen.',
      },
      issued: {
        title: 'Ihre Wallet hat den Nachweis erhalten',
        advice: 'Prüfen Sie, ob er in Ihrer Wallet liegt. Danach können Sie diese Seite schließen.',
      },
      accepted: {
        title: 'Der Nachweis ist in Ihrer Wallet',
        advice: 'Er wurde gespeichert. Sie können diese Seite schließen.',
      },
      refused: {
        title: 'Ihre Wallet hat den Nachweis nicht behalten',
        advice:
          'Er wurde abgelehnt oder konnte nicht gespeichert werden. Wenn Sie den Nachweis doch möchten, bitten Sie den Aussteller um einen neuen Link.',
      },
      denied: {
        title: 'Der Nachweis kann nicht ausgestellt werden',
        advice: 'Fragen Sie den Aussteller nach dem Grund und was Sie tun können.',
      },
      withdrawn: {
        title: 'Das Angebot wurde zurückgezogen',
        advice: 'Der Aussteller hat es aufgehoben. Fragen Sie ihn, falls Sie das nicht erwartet haben.',
      },
      locked: {
        title: 'Das Angebot ist gesperrt',
        advice: 'Zu oft wurde ein falscher Transaktionscode eingegeben. Bitten Sie den Aussteller um einen neuen Link.',
      },
      offline: {
        title: 'Das Angebot pausiert',
        advice: 'Der Aussteller gibt diesen Nachweis zurzeit nicht aus. Bitte versuchen Sie es später erneut.',
      },
    },
  },
};

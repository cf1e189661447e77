import type { Texts } from '../texts';

export const de: Texts = {
  page: {
    languages: 'Sprachen',
    scan: 'Scannen Sie den Code mit Ihrer Wallet-App.',
    codeImage: 'QR-Code mit dem Link für Ihre Wallet',
    openWallet: 'Wallet auf diesem Gerät öffnen',
    otherWallets: 'Öffnet sich Ihre Wallet nicht, oder liest sie den Code nicht?',
    notOpening: 'Öffnet sich Ihre Wallet nicht?',
    otherForms: 'Wählen Sie eine andere Form des Links:',
    usualForm: 'Übliche Form',
    copy: 'Oder kopieren Sie diesen Link in Ihre Wallet:',
    tooLong: 'Der Link ist zu lang für einen QR-Code. Öffnen Sie diese Seite auf dem Gerät mit Ihrer Wallet.',
    sameDevice: 'Ihre Wallet muss auf diesem Gerät sein.',
    checkAgain: 'Erneut prüfen',
    noWallet: 'Haben Sie noch keine Wallet-App?',
    noWalletHelp:
      'Eine Wallet ist eine App auf Ihrem Telefon, in der Sie digitale Nachweise aufbewahren. Fragen Sie {issuer}, welche Sie verwenden können.',
    findWallet: 'So bekommen Sie eine Wallet-App',
    contact: '{issuer} kontaktieren',
    forms: {
      haip: 'Für europäische Identitäts-Wallets',
      final: 'Für aktuelle Wallets',
      'draft-20': 'Für ältere Wallets',
      'draft-20-redirect': 'Für ältere Wallets, zweite Form',
      siopv2: 'Für Wallets, die Sie nur anmelden',
    },
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
  request: {
    contents: 'Das sollen Sie vorzeigen',
    confirmation: 'Das bestätigen Sie',
    reason: 'Wozu',
    identity: 'Eine Kennung aus Ihrer Wallet',
    identityMeaning: 'Ihre Wallet erzeugt sie für diese Anmeldung. Sie sagt nichts über Sie aus.',
    anyCredential: 'Ein Nachweis Ihrer Wahl',
    sentWhole: 'Einen Nachweis dieser Art sendet Ihre Wallet immer vollständig.',
    noClaims: 'Nur, dass Sie ihn haben',
    ageOver: 'Dass Sie mindestens {age} Jahre alt sind',
    optional: 'Freiwillig',
    oneOf: 'Eines davon genügt:',
    askBrowser: 'Mit einer Wallet fortfahren',
    browserFailed: 'Das hat nicht geklappt. Versuchen Sie es noch einmal, oder verwenden Sie den anderen Weg darunter.',
    afterwards: 'Danach führt Ihre Wallet Sie zurück zu {host}.',
    afterwardsHere: 'Danach führt Ihre Wallet Sie zurück in diesen Browser.',
    needsScript: 'Dieser Schritt braucht JavaScript. Erlauben Sie es für diese Seite, und laden Sie sie neu.',
    technicalName: 'Technischer Name',
    goBack: 'Zurück zu {host}',
    states: {
      pending: {
        title: 'Bitte zeigen Sie Ihren Nachweis',
        advice: 'Lesen Sie unten, was verlangt wird. In Ihrer Wallet entscheiden Sie, ob Sie es senden.',
      },
      retrieved: {
        title: 'Weiter in Ihrer Wallet',
        advice:
          'Ihre Wallet hat die Anfrage geöffnet. Bestätigen Sie dort. Falls nichts geschieht, können Sie die Anfrage noch einmal öffnen.',
      },
      rejected: {
        title: 'Die Antwort wurde nicht angenommen',
        advice:
          'Ihre Wallet nennt möglicherweise den Grund. Sie können es erneut versuchen, auch mit einem anderen Nachweis.',
      },
      declined: {
        title: 'Es wurde nichts vorgezeigt',
        advice:
          'Sie haben in Ihrer Wallet abgelehnt, oder sie enthält nichts Passendes. Sie können es erneut versuchen.',
      },
      withheld: {
        title: 'Noch ein Schritt',
        advice:
          'Ihre Wallet hat die Antwort gesendet und bringt Sie zurück. Die Antwort wird nur weitergegeben, wenn Sie innerhalb von fünf Minuten in den Browser zurückkehren, in dem Sie begonnen haben.',
      },
      verified: {
        title: 'Danke, Ihre Antwort wurde angenommen',
        advice: 'Was Sie gesendet haben, ist geprüft. Sie können diese Seite schließen.',
      },
      abandoned: {
        title: 'Die Antwort wurde nicht weitergegeben',
        advice:
          'Niemand ist rechtzeitig aus der Wallet in den Browser zurückgekehrt, in dem dies begann. Gehen Sie dorthin zurück, woher Sie gekommen sind, und beginnen Sie von vorn.',
      },
      expired: {
        title: 'Diese Anfrage ist abgelaufen',
        advice: 'Es kann nichts mehr gesendet werden. Gehen Sie dorthin zurück, woher Sie kamen, und beginnen Sie neu.',
      },
    },
    returns: {
      returning: {
        title: 'Einen Moment',
        advice: 'Wir prüfen, ob dies der Browser ist, in dem Sie begonnen haben.',
      },
      refused: {
        title: 'Sie konnten nicht zurückgebracht werden',
        advice:
          'Dies ist nicht der Browser, in dem Sie begonnen haben, der Link wurde bereits verwendet, oder es sind mehr als fünf Minuten vergangen. Öffnen Sie die Seite, auf der Sie begonnen haben: Sie zeigt den Stand.',
      },
    },
    claims: {
      given_name: 'Vorname',
      family_name: 'Familienname',
      name: 'Vollständiger Name',
      birthdate: 'Geburtsdatum',
      birthplace: 'Geburtsort',
      nationality: 'Staatsangehörigkeit',
      email: 'E-Mail-Adresse',
      phone: 'Telefonnummer',
      address: 'Anschrift',
      street: 'Straße',
      postal_code: 'Postleitzahl',
      locality: 'Ort',
      country: 'Land',
      portrait: 'Foto von Ihnen',
      sex: 'Geschlecht',
      document_number: 'Dokumentnummer',
      expiry_date: 'Ablaufdatum',
      issuing_authority: 'Ausstellende Behörde',
      issuing_country: 'Ausstellungsland',
    },
  },
  authorize: {
    username: 'Benutzername',
    password: 'Passwort',
    login: 'Anmelden',
    asker: 'Wer fragt',
    contents: 'Das erhalten Sie',
    data: 'Das wird darin stehen',
    dataLater: 'Der Aussteller fügt die Daten hinzu.',
    approve: 'Zustimmen',
    reject: 'Nicht zustimmen',
    goBack: 'Zurück zur Wallet',
    transactionCode: 'Transaktionscode',
    transactionCodeHint: 'Sie haben ihn getrennt vom Aussteller erhalten: {length} Zeichen.',
    transactionCodeMissing: 'Geben Sie den Code ein, den Sie erhalten haben.',
    transactionCodeWrong:
      'Der Code ist falsch. Verbleibende Versuche: {tries}. Nach dem letzten ist das Angebot gesperrt.',
    notYou: 'Sind das nicht Sie?',
    otherLogin: 'Als jemand anderes anmelden',
    otherCredential: 'Einen anderen Nachweis zeigen',
    states: {
      login: {
        title: 'Anmelden',
        advice: 'Dies ist eine Anmeldung für die Entwicklung: Sie nimmt jeden Namen und jedes Passwort an.',
      },
      presentation: {
        title: 'Bitte zeigen Sie, wer Sie sind',
        advice:
          'Bevor Sie den Nachweis erhalten, zeigen Sie Folgendes aus Ihrer Wallet. Tun Sie das nur, wenn Sie es in Ihrer eigenen Wallet begonnen haben.',
      },
      consent: {
        title: 'Möchten Sie das in Ihrer Wallet haben?',
        advice:
          'Prüfen Sie, wer danach fragt und was darin steht. Stimmen Sie nur zu, wenn Sie das in Ihrer eigenen Wallet begonnen haben.',
      },
      'offer-needed': {
        title: 'Bitten Sie den Aussteller um ein Angebot',
        advice:
          'Eine Wallet kann nicht von sich aus danach fragen. Der Aussteller gibt Ihnen einen Link oder QR-Code, mit dem es beginnt.',
      },
      apart: {
        title: 'Bitte nacheinander',
        advice:
          'Für diese Nachweise wird auf verschiedene Weise festgestellt, wer Sie sind. Fragen Sie in Ihrer Wallet einzeln danach.',
      },
      'not-issued': {
        title: 'Zurzeit nicht verfügbar',
        advice: 'Der Aussteller gibt diesen Nachweis zurzeit nicht aus. Bitte versuchen Sie es später erneut.',
      },
      ended: {
        title: 'Diese Seite ist nicht mehr gültig',
        advice:
          'Sie ist abgelaufen, oder die Anfrage wurde schon beantwortet. Gehen Sie zurück zu Ihrer Wallet und beginnen Sie von vorn.',
      },
      unpushed: {
        title: 'Ihre Wallet hat auf eine Weise gefragt, die hier nicht möglich ist',
        advice:
          'Sie hat diese Seite geöffnet, ohne ihre Anfrage vorher an diesen Dienst zu senden. Gehen Sie zurück zu Ihrer Wallet und beginnen Sie von vorn; geschieht es wieder, fragen Sie den Anbieter der Wallet.',
      },
      unexpected: {
        title: 'Das ist für jemand anderen bestimmt',
        advice:
          'Was Sie erhalten sollen, ist für eine andere Person als die, die eben festgestellt wurde; für sie bleibt es verfügbar. War das die Anmeldung von jemand anderem auf diesem Gerät, verwenden Sie Ihre eigene.',
      },
      unproven: {
        title: 'Wir können nicht feststellen, ob das für Sie bestimmt ist',
        advice:
          'In den Angaben über Sie fehlt, woran der Aussteller Sie erkennt. Versuchen Sie es auf einem anderen Weg, oder fragen Sie den Aussteller.',
      },
      'other-browser': {
        title: 'Das gehört nicht zu Ihrer Seite',
        advice:
          'Die Seite wurde in einem anderen Browser geöffnet, oder Ihr Browser behält keine Cookies. Gehen Sie zurück zu Ihrer Wallet und beginnen Sie von vorn.',
      },
    },
  },
  offer: {
    contents: 'Das erhalten Sie',
    digits:
      'Ihre Wallet fragt nach einem Transaktionscode mit {length} Ziffern. Sie erhalten ihn getrennt, nicht auf dieser Seite. Geben Sie ihn nur in Ihrer Wallet ein.',
    characters:
      'Ihre Wallet fragt nach einem Transaktionscode mit {length} Zeichen. Sie erhalten ihn getrennt, nicht auf dieser Seite. Geben Sie ihn nur in Ihrer Wallet ein.',
    onOpenedPage:
      'Sie werden nach einem Transaktionscode mit {length} Zeichen gefragt, in Ihrer Wallet oder auf der Seite, die sie öffnet. Sie erhalten ihn getrennt, nicht auf dieser Seite. Geben Sie ihn nirgends sonst ein.',
    wrongCode:
      'Es wurde ein falscher Transaktionscode eingegeben. Verbleibende Versuche: {tries}. Nach dem letzten ist das Angebot gesperrt.',
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
      expired: {
        title: 'Dieses Angebot ist abgelaufen',
        advice: 'Es kann nicht mehr angenommen werden. Bitten Sie den Aussteller um ein neues.',
      },
      revoked: {
        title: 'Der Nachweis wurde widerrufen',
        advice:
          'Der Aussteller hat ihn endgültig für ungültig erklärt. Fragen Sie beim Aussteller nach, wenn Sie das nicht erwartet haben.',
      },
      suspended: {
        title: 'Der Nachweis ist ausgesetzt',
        advice:
          'Er ist im Moment nicht gültig. Der Aussteller kann ihn wieder gültig machen; fragen Sie ihn nach dem Grund.',
      },
      offline: {
        title: 'Das Angebot pausiert',
        advice: 'Der Aussteller gibt diesen Nachweis zurzeit nicht aus. Bitte versuchen Sie es später erneut.',
      },
    },
  },
};

import type { Texts } from '../texts';

export const it: Texts = {
  page: {
    languages: 'Lingue',
    scan: 'Inquadra il codice con la tua app wallet.',
    codeImage: 'Codice QR con il link per il tuo wallet',
    openWallet: 'Apri il wallet su questo dispositivo',
    otherWallets: 'Il tuo wallet non si apre o non legge il codice?',
    notOpening: 'Il tuo wallet non si apre?',
    otherForms: 'Scegli un’altra forma del link:',
    usualForm: 'Forma abituale',
    copy: 'Oppure copia questo link nel tuo wallet:',
    tooLong:
      'Il link è troppo lungo per un codice QR. Apri questa pagina sul dispositivo in cui si trova il tuo wallet.',
    sameDevice: 'Il tuo wallet deve essere su questo dispositivo.',
    checkAgain: 'Controlla di nuovo',
    noWallet: 'Non hai ancora un’app wallet?',
    noWalletHelp:
      'Un wallet è un’app sul tuo telefono che conserva le tue credenziali digitali. Chiedi a {issuer} quale puoi usare.',
    findWallet: 'Come ottenere un’app wallet',
    contact: 'Contatta {issuer}',
    forms: {
      haip: 'Per i wallet europei di identità',
      final: 'Per i wallet attuali',
      'draft-20': 'Per i wallet meno recenti',
      'draft-20-redirect': 'Per i wallet meno recenti, seconda forma',
      siopv2: 'Per i wallet che servono solo ad accedere',
    },
  },
  notices: {
    invalid: {
      title: 'Questo link non è più valido',
      advice:
        'È scaduto, è già stato usato o è stato sostituito da un altro. Chiedi un nuovo link all’ente che te lo ha fornito.',
    },
    tooMany: {
      title: 'Troppi tentativi',
      advice: 'Dalla tua rete sono stati aperti diversi link che non esistono. Attendi un minuto e riprova.',
    },
    unavailable: {
      title: 'Questa pagina al momento non è disponibile',
      advice: 'Riprova tra qualche minuto. Il tuo link resta valido.',
    },
  },
  request: {
    contents: 'Che cosa ti viene chiesto di mostrare',
    confirmation: 'Che cosa confermi',
    reason: 'Perché',
    identity: 'Un identificativo del tuo wallet',
    identityMeaning: 'Il tuo wallet lo crea per questo accesso. Non dice nulla di te.',
    anyCredential: 'Una credenziale a tua scelta',
    sentWhole: 'Il tuo wallet invia sempre per intero una credenziale di questo tipo.',
    noClaims: 'Solo che la possiedi',
    ageOver: 'Che hai almeno {age} anni',
    optional: 'Facoltativo',
    oneOf: 'Ne basta una tra queste:',
    askBrowser: 'Continua con un wallet',
    browserFailed: 'Non ha funzionato. Riprova, oppure usa l’altra possibilità qui sotto.',
    afterwards: 'Poi il tuo wallet ti riporterà a {host}.',
    afterwardsHere: 'Poi il tuo wallet ti riporterà in questo browser.',
    needsScript: 'Questo passaggio richiede JavaScript. Consentilo per questa pagina e ricaricala.',
    technicalName: 'Nome tecnico',
    goBack: 'Torna a {host}',
    states: {
      pending: {
        title: 'Mostra la tua credenziale',
        advice: 'Leggi qui sotto che cosa ti viene chiesto. Nel tuo wallet decidi tu se inviarlo.',
      },
      retrieved: {
        title: 'Continua nel tuo wallet',
        advice:
          'Il tuo wallet ha aperto la richiesta. Confermala lì. Se non succede nulla, puoi aprire di nuovo la richiesta.',
      },
      rejected: {
        title: 'La risposta non è stata accettata',
        advice: 'Il tuo wallet potrebbe mostrarne il motivo. Puoi riprovare, anche con un’altra credenziale.',
      },
      declined: {
        title: 'Non è stato mostrato nulla',
        advice: 'Hai rifiutato nel tuo wallet, oppure non contiene nulla di adatto. Puoi riprovare.',
      },
      withheld: {
        title: 'Ancora un passo',
        advice:
          'Il tuo wallet ha inviato la risposta e ti riporta indietro. La risposta viene trasmessa solo se torni entro cinque minuti nel browser in cui hai iniziato.',
      },
      verified: {
        title: 'Grazie, la tua risposta è stata accettata',
        advice: 'Ciò che hai inviato è stato verificato. Puoi chiudere questa pagina.',
      },
      abandoned: {
        title: 'La risposta non è stata trasmessa',
        advice:
          'Nessuno è tornato in tempo dal wallet al browser in cui la richiesta è iniziata. Torna al punto di partenza e ricomincia.',
      },
      expired: {
        title: 'Questa richiesta è scaduta',
        advice: 'Non si può più inviare nulla. Torna da dove sei venuto e ricomincia.',
      },
    },
    returns: {
      returning: {
        title: 'Un attimo',
        advice: 'Controlliamo che questo sia il browser in cui hai iniziato.',
      },
      refused: {
        title: 'Il ritorno non è riuscito',
        advice:
          'Questo non è il browser in cui hai iniziato, il link è già stato usato, oppure sono passati più di cinque minuti. Apri la pagina in cui hai iniziato: mostra a che punto sei.',
      },
    },
    claims: {
      given_name: 'Nome',
      family_name: 'Cognome',
      name: 'Nome e cognome',
      birthdate: 'Data di nascita',
      birthplace: 'Luogo di nascita',
      nationality: 'Cittadinanza',
      email: 'Indirizzo e-mail',
      phone: 'Numero di telefono',
      address: 'Indirizzo',
      street: 'Via',
      postal_code: 'Codice postale',
      locality: 'Località',
      country: 'Paese',
      portrait: 'La tua foto',
      sex: 'Sesso',
      document_number: 'Numero del documento',
      expiry_date: 'Data di scadenza',
      issuing_authority: 'Autorità di rilascio',
      issuing_country: 'Paese di rilascio',
    },
  },
  authorize: {
    username: 'Nome utente',
    password: 'La tua password',
    login: 'Accedi',
    asker: 'Chi lo chiede',
    contents: 'Che cosa ricevi',
    data: 'Che cosa conterrà',
    dataLater: 'L’emittente aggiunge i dati.',
    approve: 'Accetta',
    reject: 'Non accettare',
    goBack: 'Torna al wallet',
    transactionCode: 'Codice di transazione',
    transactionCodeHint: 'L’hai ricevuto a parte dall’emittente: {length} caratteri.',
    transactionCodeMissing: 'Inserisci il codice che hai ricevuto.',
    transactionCodeWrong: 'Il codice è errato. Tentativi rimasti: {tries}. Dopo l’ultimo l’offerta viene bloccata.',
    notYou: 'Non sei tu?',
    otherLogin: 'Accedi come un’altra persona',
    otherCredential: 'Mostra un’altra credenziale',
    states: {
      login: {
        title: 'Accedi',
        advice: 'Questo è un accesso per lo sviluppo: accetta qualsiasi nome e qualsiasi password.',
      },
      presentation: {
        title: 'Mostra chi sei',
        advice:
          'Prima di ricevere la credenziale, mostra quanto segue dal tuo wallet. Fallo solo se hai iniziato tu nel tuo wallet.',
      },
      consent: {
        title: 'Vuoi averlo nel tuo wallet?',
        advice: 'Controlla chi lo chiede e che cosa contiene. Accetta solo se hai iniziato tu nel tuo wallet.',
      },
      'offer-needed': {
        title: 'Chiedi un’offerta all’emittente',
        advice: 'Un wallet non può chiederlo da solo. L’emittente ti dà un link o un codice QR con cui iniziare.',
      },
      apart: {
        title: 'Una dopo l’altra, per favore',
        advice:
          'Per queste credenziali la tua identità viene accertata in modi diversi. Chiedile una alla volta nel tuo wallet.',
      },
      'not-issued': {
        title: 'Al momento non disponibile',
        advice: 'Al momento l’emittente non rilascia questa credenziale. Riprova più tardi.',
      },
      ended: {
        title: 'Questa pagina non è più valida',
        advice: 'È scaduta, o la richiesta ha già avuto risposta. Torna al tuo wallet e ricomincia.',
      },
      unpushed: {
        title: 'Il tuo wallet ha fatto la richiesta in un modo che qui non è possibile',
        advice:
          'Ha aperto questa pagina senza prima inviare la richiesta a questo servizio. Torna al tuo wallet e ricomincia; se succede di nuovo, chiedi al fornitore del wallet.',
      },
      unexpected: {
        title: 'Questo è destinato a un’altra persona',
        advice:
          'Ciò che stavi per ricevere è per una persona diversa da quella appena identificata; per lei resta disponibile. Se era l’accesso di un’altra persona su questo dispositivo, usa il tuo.',
      },
      unproven: {
        title: 'Non possiamo stabilire se questo è destinato a te',
        advice:
          'Nei dati su di te manca ciò che serve all’emittente per riconoscerti. Riprova in un altro modo o chiedi all’emittente.',
      },
      'other-browser': {
        title: 'Questo non appartiene alla tua pagina',
        advice:
          'La pagina è stata aperta in un altro browser, o il tuo browser non conserva i cookie. Torna al tuo wallet e ricomincia.',
      },
    },
  },
  offer: {
    contents: 'Che cosa ricevi',
    digits:
      'Il tuo wallet chiederà un codice di transazione di {length} cifre. Lo ricevi separatamente, non in questa pagina. Inseriscilo soltanto nel tuo wallet.',
    characters:
      'Il tuo wallet chiederà un codice di transazione di {length} caratteri. Lo ricevi separatamente, non in questa pagina. Inseriscilo soltanto nel tuo wallet.',
    onOpenedPage:
      'Ti verrà chiesto un codice di transazione di {length} caratteri, nel tuo wallet o nella pagina che esso apre. Lo ricevi separatamente, non in questa pagina. Non inserirlo altrove.',
    wrongCode:
      'È stato inserito un codice di transazione errato. Tentativi rimasti: {tries}. Dopo l’ultimo l’offerta viene bloccata.',
    states: {
      waiting: {
        title: 'La tua credenziale è in preparazione',
        advice:
          'I dati non sono ancora completi. Puoi lasciare aperta questa pagina: mostrerà quando la credenziale è pronta.',
      },
      ready: {
        title: 'La tua credenziale è pronta',
        advice: 'Ottienila con la tua app wallet.',
      },
      fetched: {
        title: 'Continua nel tuo wallet',
        advice:
          'Il tuo wallet ha aperto l’offerta. Accettala nel wallet. Se non succede nulla, puoi inquadrare di nuovo il codice.',
      },
      redeemed: {
        title: 'Il tuo wallet sta ottenendo la credenziale',
        advice: 'Segui i passaggi nel wallet. Se si interrompe con un errore, chiedi un nuovo link all’emittente.',
      },
      deferred: {
        title: 'La tua credenziale arriverà più tardi',
        advice:
          'L’hai accettata. Il wallet la otterrà appena l’emittente avrà i tuoi dati; puoi chiudere questa pagina.',
      },
      issued: {
        title: 'Il tuo wallet ha ricevuto la credenziale',
        advice: 'Controlla che sia nel wallet. Poi puoi chiudere questa pagina.',
      },
      accepted: {
        title: 'La credenziale è nel tuo wallet',
        advice: 'È stata salvata. Puoi chiudere questa pagina.',
      },
      refused: {
        title: 'Il tuo wallet non ha conservato la credenziale',
        advice:
          'È stata rifiutata o non è stato possibile salvarla. Se la desideri comunque, chiedi un nuovo link all’emittente.',
      },
      denied: {
        title: 'La credenziale non può essere rilasciata',
        advice: 'Chiedi all’emittente il motivo e che cosa puoi fare.',
      },
      withdrawn: {
        title: 'L’offerta è stata ritirata',
        advice: 'L’emittente l’ha annullata. Contattalo se non te lo aspettavi.',
      },
      locked: {
        title: 'L’offerta è bloccata',
        advice: 'È stato inserito troppe volte un codice di transazione errato. Chiedi un nuovo link all’emittente.',
      },
      expired: {
        title: 'Questa offerta è scaduta',
        advice: 'Non può più essere accettata. Chiedine una nuova all’emittente.',
      },
      revoked: {
        title: 'La credenziale è stata revocata',
        advice: 'L’emittente l’ha dichiarata definitivamente non valida. Chiedi all’emittente se non te lo aspettavi.',
      },
      suspended: {
        title: 'La credenziale è sospesa',
        advice: 'Al momento non è valida. L’emittente può renderla di nuovo valida; chiedigli il motivo.',
      },
      offline: {
        title: 'L’offerta è sospesa',
        advice: 'Al momento l’emittente non rilascia questa credenziale. Riprova più tardi.',
      },
    },
  },
};

<?php
// Playback sessions for a backend in PHP 8.1 or newer, with the curl extension only.

declare(strict_types=1);

/** The service refused. $retryAfter: in how many seconds to try again, or null. */
final class PlaybackProblem extends RuntimeException
{
    public readonly string $problemCode;

    public function __construct(public readonly array $problem, public readonly ?float $retryAfter)
    {
        parent::__construct("{$problem['code']}: " . ($problem['detail'] ?? '') . ' (request ' . ($problem['requestId'] ?? '') . ')');
        $this->problemCode = $problem['code'];
    }
}

/** No answer came, or only one of a proxy: what was asked may have been done all the same. */
final class NoAnswer extends RuntimeException
{
}

/** The sessions of one environment. $url: the address of the playback service. The others: of your API client. */
final class Playback
{
    private const ATTEMPT_SECONDS = 5.0;
    /** Of all attempts together. A viewer waits no longer. */
    private const CALL_SECONDS = 10.0;

    private readonly string $sessions;
    private readonly array $headers;

    public function __construct(
        string $url,
        string $environmentId,
        string $clientId,
        #[SensitiveParameter] string $accessKey,
        string $headerPrefix = 'X-SERVICE',
    ) {
        $this->sessions = "$url/api/v1/playback/environments/$environmentId/sessions";
        $this->headers = [
            'Accept: application/json',
            'Content-Type: application/json',
            "$headerPrefix-Client-Id: $clientId",
            "$headerPrefix-Client-Secret: $accessKey",
        ];
    }

    /** Keeps the access key out of dumps. */
    public function __debugInfo(): array
    {
        return ['sessions' => $this->sessions];
    }

    /** Returns a new session, for the player. $subject: a stable id of the viewer, from your own login. */
    public function createSession(string $subject, array $request): array
    {
        $sessionId = self::randomId(); // once, so that all attempts start the same session
        $own = ['subject' => $subject, 'sessionId' => $sessionId];
        try {
            $session = $this->call('', [...['useEnvironmentDefaults' => true], ...$request, ...$own], self::CALL_SECONDS);
        } catch (NoAnswer $failure) {
            // The session may have started, or may start later. This frees its slot.
            $this->releaseQuietly($subject, $sessionId);
            throw $failure;
        }
        if ($session['contractVersion'] !== 1) {
            throw new RuntimeException("unknown contract version {$session['contractVersion']}");
        }
        return $session;
    }

    /** Frees the slot of a session that has ended, for example at logout. */
    public function releaseSession(string $subject, string $sessionId, string $reason = 'ended', float $seconds = self::CALL_SECONDS): void
    {
        $this->call('/' . rawurlencode($sessionId) . '/release', ['subject' => $subject, 'reason' => $reason], $seconds);
    }

    /** Ends a session of the viewer, such as that of another device. Its player learns it at its next renewal. */
    public function terminateSession(string $subject, string $sessionId): void
    {
        $this->releaseSession($subject, $sessionId, 'terminated');
    }

    private function releaseQuietly(string $subject, string $sessionId): void
    {
        try {
            $this->releaseSession($subject, $sessionId, seconds: 3.0);
        } catch (NoAnswer | PlaybackProblem) {
            // The slot is free when the session expires.
        }
    }

    /** Returns the JSON of a success, or null if there is none. Repeats what may be repeated. */
    private function call(string $path, array $body, float $seconds): ?array
    {
        $deadline = microtime(true) + $seconds;
        for ($attempt = 1; ; $attempt += 1) {
            $timeout = min(self::ATTEMPT_SECONDS, $deadline - microtime(true));
            [$status, $retryAfter, $answer] = $this->post($this->sessions . $path, $body, $timeout);
            if ($status === 204 || ($status === 200 && $answer !== null)) {
                return $answer;
            }
            if (is_string($answer['code'] ?? null) && is_bool($answer['retryable'] ?? null)) {
                [$failure, $repeatable] = [new PlaybackProblem($answer, $retryAfter), $answer['retryable']];
            } else {
                // A proxy's, one that was cut off, or none.
                [$failure, $repeatable] = [new NoAnswer("HTTP $status"), in_array($status, [0, 200, 502, 503, 504], true)];
            }
            $wait = $retryAfter ?? $attempt * random_int(500, 1000) / 1000;
            if (!$repeatable || microtime(true) + $wait >= $deadline) {
                throw $failure;
            }
            usleep((int) ($wait * 1_000_000));
        }
    }

    /** Returns status (0: none), seconds of Retry-After and JSON; each of the latter is null if it is missing. */
    private function post(string $url, array $body, float $timeout): array
    {
        $retryAfter = null;
        $handle = curl_init($url);
        curl_setopt_array($handle, [
            CURLOPT_POSTFIELDS => json_encode($body, JSON_THROW_ON_ERROR),
            CURLOPT_HTTPHEADER => $this->headers,
            CURLOPT_TIMEOUT_MS => max(1, (int) ($timeout * 1000)),
            CURLOPT_RETURNTRANSFER => true,
            // A redirect would get the access key.
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$retryAfter): int {
                if (preg_match('/^Retry-After:\s*(.+?)\s*$/i', $line, $found) === 1) {
                    $retryAfter = self::seconds($found[1]);
                }
                return strlen($line);
            },
        ]);
        $content = curl_exec($handle);
        if ($content === false) {
            return [0, null, null];
        }
        $answer = json_decode($content, true);
        return [curl_getinfo($handle, CURLINFO_RESPONSE_CODE), $retryAfter, is_array($answer) ? $answer : null];
    }

    /** A number of seconds or a date, as seconds; null for anything else. */
    private static function seconds(string $retryAfter): ?float
    {
        if (ctype_digit($retryAfter)) {
            return (float) $retryAfter;
        }
        $time = strtotime($retryAfter);
        return $time === false ? null : (float) max(0, $time - time());
    }

    /** A random UUID. */
    private static function randomId(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }
}

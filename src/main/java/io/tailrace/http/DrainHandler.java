package io.tailrace.http;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.net.impl.ShutdownEvent;
import java.util.concurrent.TimeUnit;

/**
 * Ends a keep-alive connection without cutting a request (OPS-3): one a connection of HTTP/1, on its event loop.
 *
 * <p>Left to itself, Vert.x closes a connection right behind the answer in hand, unannounced, and drops whatever its client
 * has sent meanwhile. Here the listener is closed as ever, but a connection stays until an answer has told its client so
 * ({@code Connection: close}); one on which nothing comes within {@link #GRACE_MS} is closed as idle. HTTP/2 announces the
 * end by itself (GOAWAY) and is left alone.
 */
final class DrainHandler extends ChannelDuplexHandler {
    /** Within this a busy client sends its next request; idle connections hold the shutdown up no longer. */
    private static final long GRACE_MS = 1_000;

    /**
     * Instances of the server shut down one after another and the last one closes the listener. A client that is told to
     * connect anew before that would be let in by the kernel and then dropped.
     */
    private static final long LISTENER_CLOSES_MS = 100;

    private int inHand;
    private boolean draining;
    private boolean announced;

    /** Watches a connection that was just opened, if it is one of HTTP/1. */
    static void watch(HttpConnection connection) {
        if (!(connection instanceof HttpServerConnection server)) {
            return;
        }
        ChannelHandlerContext context = server.channelHandlerContext();
        ChannelPipeline pipeline = context.pipeline();
        if (pipeline.get(HttpRequestDecoder.class) != null) {
            pipeline.addBefore(context.name(), "drain", new DrainHandler());
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpRequest) {
            inHand++;
        }
        context.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        ChannelPromise written = promise;
        boolean interim = message instanceof HttpResponse response && isInterim(response.status());
        // With a further request already here, the answer to that one is the last.
        if (draining && inHand <= 1 && !interim && message instanceof HttpResponse response) {
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
            announced = true;
        }
        if (message instanceof LastHttpContent && !interim) {
            inHand--;
            if (announced) {
                written = promise.unvoid().addListener(ChannelFutureListener.CLOSE);
            } else if (draining && inHand == 0) {
                closeIfIdle(context);
            }
        }
        context.write(message, written);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        boolean http1 = context.pipeline().get(HttpRequestDecoder.class) != null;
        if (!http1 || !(event instanceof ShutdownEvent)) {
            context.fireUserEventTriggered(event);
            return;
        }
        context.executor().schedule(() -> drain(context), LISTENER_CLOSES_MS, TimeUnit.MILLISECONDS);
    }

    private void drain(ChannelHandlerContext context) {
        draining = true;
        if (inHand == 0) {
            closeIfIdle(context);
        }
    }

    /** 100 Continue: the answer itself is still to come. */
    private static boolean isInterim(HttpResponseStatus status) {
        return status.codeClass() == HttpStatusClass.INFORMATIONAL
                && !status.equals(HttpResponseStatus.SWITCHING_PROTOCOLS);
    }

    private void closeIfIdle(ChannelHandlerContext context) {
        context.executor().schedule(() -> inHand == 0 ? context.close() : null, GRACE_MS, TimeUnit.MILLISECONDS);
    }
}
